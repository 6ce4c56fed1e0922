import type { BegunImport, FinishImport, ImportLineage } from '../../../../store/importing';
import type { ImportTarget } from './importTarget';
import type { ConvertedRows } from './sessionConverter';

/** Writes one session. One that fits into a batch is one transaction; a longer one is begun with its first batch, and
 *  each batch is written while the next one is read. */
export class SessionWriter {
  private waiting: ConvertedRows | null = null;
  private writing: Promise<void> = Promise.resolve();
  private isBegun = false;

  constructor(
    private readonly target: ImportTarget,
    private readonly sessionId: string,
    private readonly lineage: ImportLineage | null,
    private readonly startedAt: () => number,
  ) {}

  async begin(): Promise<BegunImport> {
    const { sessionId, lineage } = this;
    const begun = await this.target.beginImport({ sessionId, lineage, startedAt: this.startedAt() });
    this.isBegun = true;
    return begun;
  }

  async add(rows: ConvertedRows): Promise<void> {
    if (!this.isBegun && this.waiting === null) {
      this.waiting = rows;
      return;
    }
    if (!this.isBegun) await this.begin();
    if (this.waiting !== null) await this.write(this.waiting);
    this.waiting = null;
    await this.write(rows);
  }

  async finish(finish: FinishImport): Promise<void> {
    const { sessionId, waiting } = this;
    if (!this.isBegun && waiting !== null) {
      await this.target.importWhole({ batch: { sessionId, ...waiting }, finish });
      return;
    }
    await this.writing;
    await this.target.finishImport(finish);
  }

  /** Never rejects: the store removes what is left. */
  async discard(): Promise<void> {
    await this.writing.catch(() => undefined);
    if (this.isBegun) await this.target.discardImport(this.sessionId).catch(() => undefined);
  }

  private async write(rows: ConvertedRows): Promise<void> {
    await this.writing;
    this.writing = this.target.addImported({ sessionId: this.sessionId, ...rows });
    this.writing.catch(() => undefined);
  }
}

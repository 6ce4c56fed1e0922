import { contains } from '../workspacePaths';
import { realpathSync } from 'node:fs';
import { lstat, readdir, rm, unlink } from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { Clock } from '../../base/clock';
import { OutputFile } from './outputFile';

const daySeconds = 86_400;
const keptDays = 30;
/** Largest size of all outputs of one history together, in bytes. */
const largestFolder = 1024 * 1024 * 1024;

/** Folder for outputs of commands: `<storage>/outputs/<conversation>/<turn>-<call>.log`. */
export class OutputFolder {
  /** `folder` is called every time, because a history can be moved. */
  constructor(
    private readonly folder: () => string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  get path(): string {
    return this.folder();
  }

  /** Creates a new file. A call id comes from the model's provider: it may contain anything, and may occur twice. */
  async create(call: {
    readonly conversationId: string;
    readonly turnUid: string;
    readonly callId: string;
  }): Promise<OutputFile> {
    const folder = nodePath.join(this.path, fileName(call.conversationId));
    const name = `${fileName(call.turnUid)}-${fileName(call.callId)}`;
    for (let again = 1; ; again++) {
      try {
        return await OutputFile.create(nodePath.join(folder, `${name}${again === 1 ? '' : `-${again}`}.log`));
      } catch (error) {
        if (!hasCode(error, 'EEXIST') || again >= 1000) throw error;
      }
    }
  }

  /** True when `real`, a path with every link resolved, is the output of a command. With `conversationId`, only
   *  outputs of that conversation count: its model may read its own output without approval. */
  isOwnOutput(real: string, conversationId?: string): boolean {
    if (!real.endsWith('.log')) return false;
    try {
      const outputs = realpathSync(this.path);
      return contains(
        nodePath,
        conversationId === undefined ? outputs : nodePath.join(outputs, fileName(conversationId)),
        real,
      );
    } catch {
      // No command has run here yet.
      return false;
    }
  }

  /** Deletes the outputs of a forgotten conversation. */
  async forget(conversationId: string): Promise<void> {
    await rm(nodePath.join(this.path, fileName(conversationId)), { recursive: true, force: true });
  }

  /** Conversations that have outputs here, by the name of their folder. */
  async conversations(): Promise<readonly string[]> {
    return namesIn(this.path);
  }

  /** Deletes outputs older than 30 days, and then the oldest ones beyond 1 GB. `isInUse`: files that a command still
   *  writes to. */
  async tidy(isInUse: (file: string) => boolean): Promise<number> {
    const files = (await this.files())
      .filter(({ path }) => !isInUse(path))
      .sort((left, right) => right.changedAt - left.changedAt);
    const oldest = this.clock.now() - keptDays * daySeconds;
    let total = 0;
    let removed = 0;
    for (const { path, bytes, changedAt } of files) {
      total += bytes;
      if (changedAt >= oldest && total <= largestFolder) continue;
      await unlink(path).catch(() => undefined);
      removed++;
    }
    return removed;
  }

  private async files(): Promise<
    readonly { readonly path: string; readonly bytes: number; readonly changedAt: number }[]
  > {
    const found = [];
    for (const conversation of await this.conversations()) {
      for (const name of await namesIn(nodePath.join(this.path, conversation))) {
        const path = nodePath.join(this.path, conversation, name);
        const stat = await lstat(path).catch(() => null);
        if (stat?.isFile() === true) found.push({ path, bytes: stat.size, changedAt: stat.mtimeMs / 1000 });
      }
    }
    return found;
  }
}

/** Converts an id to a file name. Our own ids stay unchanged. */
function fileName(id: string): string {
  const safe = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80);
  return safe === '' ? '_' : safe;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

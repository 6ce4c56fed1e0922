import { Emitter, type Disposable } from '../../base/disposable';
import type { ConfinedRun } from '../sandbox/confinement';
import type { CommandProcess } from './commandProcess';
import { endMarkedBy } from './orphanedCommands';

/** Number of ended commands whose output can still be read. */
const keptEnded = 50;

/** Command of this window. */
export interface StartedCommand {
  /** Name for the model. */
  readonly id: string;
  readonly conversationId: string;
  readonly command: string;
  /** Displayed path. */
  readonly folder: string;
  readonly process: CommandProcess;
  /** Null: runs without a sandbox. */
  readonly confined: ConfinedRun | null;
}

interface Entry extends StartedCommand {
  /** True when the model has received its id. */
  handed: boolean;
  /** Bytes of its output that the model has received. */
  receivedBytes: number;
}

/** Commands that were started in this window and may still run, and the last ones that ended. None of them outlives
 *  the window. */
export class RunningCommands implements Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly changes = new Emitter<void>();
  private readonly starts = new Emitter<StartedCommand>();
  readonly onDidChange = this.changes.event;
  readonly onDidStart = this.starts.event;

  add(command: StartedCommand): void {
    this.entries.set(command.id, { ...command, handed: false, receivedBytes: 0 });
    this.starts.fire(command);
    this.changes.fire();
    command.process.ended.then(() => this.settle()).catch(() => undefined);
  }

  /** The model continues while the command runs, and may read its output by its id. */
  handOver(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    entry.handed = true;
    entry.receivedBytes = entry.process.ends.bytes;
    this.changes.fire();
  }

  /** Null when this conversation did not receive the command's id. */
  find(conversationId: string, id: string): StartedCommand | null {
    const entry = this.entries.get(id);
    return entry?.handed === true && entry.conversationId === conversationId ? entry : null;
  }

  ofConversation(conversationId: string): readonly StartedCommand[] {
    return [...this.entries.values()].filter((entry) => entry.handed && entry.conversationId === conversationId);
  }

  /** Bytes of its output that the model has not received. */
  untold(id: string): number {
    const entry = this.entries.get(id);
    return entry === undefined ? 0 : entry.process.ends.bytes - entry.receivedBytes;
  }

  /** Returns the number of bytes received before, and marks all present output as received. */
  markReceived(id: string): number {
    const entry = this.entries.get(id);
    if (entry === undefined) return 0;
    const before = entry.receivedBytes;
    entry.receivedBytes = entry.process.ends.bytes;
    return before;
  }

  /** Commands that run, or that left processes running. */
  get alive(): readonly StartedCommand[] {
    return [...this.entries.values()].filter(({ process }) => process.isAlive);
  }

  /** Commands that the model has left running beside its turns, and the last ones that ended. */
  get beside(): readonly StartedCommand[] {
    return [...this.entries.values()].filter(({ handed }) => handed);
  }

  /** Stops the command that writes this file, for the user. Does nothing when it has ended. */
  async stop(file: string): Promise<void> {
    await this.alive.find(({ process }) => process.file.path === file)?.process.stopForPerson();
    this.settle();
  }

  /** Checks again if processes that these commands left running still run. */
  async refresh(commands: readonly StartedCommand[]): Promise<void> {
    await Promise.all(commands.map(({ process }) => process.refresh()));
    this.settle();
  }

  isWriting(file: string): boolean {
    return [...this.entries.values()].some(({ process }) => process.file.path === file && process.isAlive);
  }

  /** Ends the commands that keep running beside the turns, because the window is about to close. Turns end their own
   *  commands. */
  async endHandedOver(): Promise<void> {
    const handed = [...this.entries.values()].filter((entry) => entry.handed && entry.process.isAlive);
    await Promise.all(handed.map((entry) => entry.process.kill()));
  }

  /** Kills everything at once, because the window is closing. */
  dispose(): void {
    for (const { process: running } of this.alive) running.tree.endNow();
    endMarkedBy(process.pid);
    this.changes.dispose();
    this.starts.dispose();
  }

  private settle(): void {
    const over = [...this.entries.values()].filter(({ process }) => !process.isAlive);
    const kept = new Set(over.filter(({ handed }) => handed).slice(-keptEnded));
    for (const entry of over) if (!kept.has(entry)) this.entries.delete(entry.id);
    this.changes.fire();
  }
}

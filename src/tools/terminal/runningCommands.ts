import { Emitter, type Disposable } from '../../base/disposable';
import type { ConfinedRun } from '../sandbox/confinement';
import type { CommandProcess } from './commandProcess';
import { endMarkedBy } from './orphanedCommands';

/** Ended commands whose output can still be asked for. */
const keptEnded = 50;

/** A command of this window. */
export interface StartedCommand {
  /** By which the model names it. */
  readonly id: string;
  readonly conversationId: string;
  readonly command: string;
  /** As people read it. */
  readonly folder: string;
  readonly process: CommandProcess;
  /** Null: it runs without a sandbox. */
  readonly confined: ConfinedRun | null;
}

interface Entry extends StartedCommand {
  /** The model was given its id. */
  handed: boolean;
  /** Bytes of its output that the model has been told. */
  toldBytes: number;
}

/** Every command that was started in this window and may still run, and the last ones that did. None of them outlives the window. */
export class RunningCommands implements Disposable {
  private readonly entries = new Map<string, Entry>();
  private readonly changes = new Emitter<void>();
  private readonly starts = new Emitter<StartedCommand>();
  readonly onDidChange = this.changes.event;
  readonly onDidStart = this.starts.event;

  add(command: StartedCommand): void {
    this.entries.set(command.id, { ...command, handed: false, toldBytes: 0 });
    this.starts.fire(command);
    this.changes.fire();
    void command.process.ended.then(() => this.settle());
  }

  /** The model goes on while it runs, and may ask for it by its id. */
  handOver(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    entry.handed = true;
    entry.toldBytes = entry.process.ends.bytes;
    this.changes.fire();
  }

  /** Null for one that this conversation was not given. */
  find(conversationId: string, id: string): StartedCommand | null {
    const entry = this.entries.get(id);
    return entry?.handed === true && entry.conversationId === conversationId ? entry : null;
  }

  ofConversation(conversationId: string): readonly StartedCommand[] {
    return [...this.entries.values()].filter((entry) => entry.handed && entry.conversationId === conversationId);
  }

  /** Bytes of its output that the model has not been told. */
  untold(id: string): number {
    const entry = this.entries.get(id);
    return entry === undefined ? 0 : entry.process.ends.bytes - entry.toldBytes;
  }

  /** Bytes told before; from now on what there is counts as told. */
  tell(id: string): number {
    const entry = this.entries.get(id);
    if (entry === undefined) return 0;
    const before = entry.toldBytes;
    entry.toldBytes = entry.process.ends.bytes;
    return before;
  }

  /** Those that run, or left something running. */
  get alive(): readonly StartedCommand[] {
    return [...this.entries.values()].filter(({ process }) => process.isAlive);
  }

  isWriting(file: string): boolean {
    return [...this.entries.values()].some(({ process }) => process.file.path === file && process.isAlive);
  }

  /** Asks what keeps running beside the turns to end, and ends it: the window is about to close. Turns end their own commands. */
  async endHandedOver(): Promise<void> {
    const handed = [...this.entries.values()].filter((entry) => entry.handed && entry.process.isAlive);
    await Promise.all(handed.map((entry) => entry.process.kill()));
  }

  /** Ends everything at once: the window closes. */
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

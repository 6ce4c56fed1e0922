import type { Clock } from '../../base/clock';
import type { AccessPath } from '../../transcript/approval';
import type { Confinement } from '../sandbox/confinement';
import type { CommandCheckpoint } from '../files/changes/commandCheckpoint';
import type { Environment } from './loginEnvironment';
import type { OutputFolder } from './outputFolder';
import type { RunningCommands } from './runningCommands';
import type { Shell } from './shell';

/** What commands need of the place they run in. */
export interface TerminalNeeds {
  readonly shell: () => Shell;
  readonly environment: () => Promise<Environment>;
  /** Of a folder as the model writes it, begun at the open folders; null: the first open folder. Rejects with a sentence for the model. */
  readonly resolveFolder: (written: string | null) => Promise<AccessPath>;
  /** Whether a command is known to change nothing, and needs no checkpoint. */
  readonly isReadOnly: (command: string) => boolean;
  readonly confinement: Pick<Confinement, 'isRequired' | 'state' | 'confine'>;
  readonly checkpoint: CommandCheckpoint;
  readonly outputs: OutputFolder;
  readonly running: RunningCommands;
  /** Seconds a command may take when the model names no time. */
  readonly timeoutSeconds: () => number;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

/** Seconds that a model may ask for beyond the setting. */
export const furtherSeconds = 600;

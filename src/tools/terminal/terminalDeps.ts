import type { Clock } from '../../base/clock';
import type { AccessPath } from '../../transcript/approval';
import type { Confinement } from '../sandbox/confinement';
import type { Discards } from '../approval/discards';
import type { CommandCheckpoint } from '../files/changes/commandCheckpoint';
import type { Environment } from './loginEnvironment';
import type { OutputFolder } from './outputFolder';
import type { RunningCommands } from './runningCommands';
import type { Shell } from './shell';

/** Dependencies of the command tools. */
export interface TerminalDeps {
  readonly shell: () => Shell;
  readonly environment: () => Promise<Environment>;
  /** Resolves a folder as the model writes it, relative to the open folders; null: the first open folder. Rejects
   *  with a sentence for the model. */
  readonly resolveFolder: (written: string | null) => Promise<AccessPath>;
  /** True when a command is known to change nothing, so it needs no checkpoint. */
  readonly isReadOnly: (command: string) => boolean;
  readonly confinement: Pick<Confinement, 'isRequired' | 'hasLeftovers' | 'state' | 'confine'>;
  readonly checkpoint: CommandCheckpoint;
  /** What the words of a command in the sandbox discard. */
  readonly discards: (command: string, folder: AccessPath) => Discards;
  readonly outputs: OutputFolder;
  readonly running: RunningCommands;
  /** Default timeout of a command, in seconds. */
  readonly timeoutSeconds: () => number;
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
}

/** Most seconds that a model may request beyond the setting. */
export const furtherSeconds = 600;

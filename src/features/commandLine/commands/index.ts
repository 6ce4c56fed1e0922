import type { Command } from './command';
import { backup } from './backup';
import { check } from './check';
import { copy } from './copy';
import { exportCommand } from './export';
import { importCommand } from './import';

/** The commands, in the order of the help text. */
export const commands: readonly Command[] = [importCommand, exportCommand, check, backup, copy];

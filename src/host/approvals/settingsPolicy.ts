import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { type DeniedPaths, deniedPaths } from '../../tools/approval/deniedPaths';
import { DiskPathLookup } from '../../tools/approval/pathLookup';
import { RuleBook } from '../../tools/approval/ruleBook';
import { RulesPolicy, type RulesPolicyDeps } from '../../tools/approval/rulesPolicy';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { HermesSettings } from '../settings/settings';

/** The user's rules, and the folders that they are for. */
export interface SettingsRules {
  readonly settings: { readonly current: Pick<HermesSettings, 'approvals'> };
  readonly files: Pick<WorkspaceFiles, 'roots'>;
}

const caseSensitive = process.platform !== 'win32' && process.platform !== 'darwin';

/** The lookup of paths on this machine. */
export function diskLookup(roots: WorkspaceFiles['roots']): DiskPathLookup {
  return new DiskPathLookup(roots, homedir(), realpathSync(tmpdir()));
}

/** Judges by the rules of the user's settings, in a window or without one. */
export function settingsPolicy(
  { settings, files }: SettingsRules,
  deps: Pick<RulesPolicyDeps, 'workspaceAllow' | 'remember' | 'isTrusted' | 'isOwnOutput' | 'guarded'>,
): RulesPolicy {
  return new RulesPolicy({
    ...deps,
    allow: () => settings.current.approvals.allow,
    deny: () => settings.current.approvals.deny,
    caseSensitive,
    lookup: diskLookup(() => files.roots()),
    matchesPrefixes: () => settings.current.approvals.matchesPrefixes,
  });
}

/** Finds the files that the user's rules deny, for the sandbox. */
export function deniedBySettings({ settings, files }: SettingsRules): Promise<DeniedPaths> {
  const home = homedir();
  const rules = new RuleBook({ allow: [], deny: settings.current.approvals.deny }, { home, caseSensitive });
  return deniedPaths({ rules, home, folders: files.roots() });
}

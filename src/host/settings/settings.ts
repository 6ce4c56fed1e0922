import * as v from 'valibot';
import { joinSentences } from '../../base/messageText';
import { t, shownList } from '../../base/translate';
import { parseEndpoint } from '../../models/http/endpoint';
import type { ProviderSettings } from '../../models/providerSettings';
import { allowRuleProblem, denyRuleProblem } from '../../tools/approval/ruleText';
import { type SandboxSetting, sandboxSettings } from '../../tools/sandbox/sandbox';
import type { Mode } from '../../transcript/approval';
import { modes } from '../../transcript/approvalChecks';
import { type PersonalGroup, personalGroups } from '../../transcript/contextFiles';
import { reasoningEfforts, type ReasoningEffort } from '../../transcript/session';
import { type BusyMode, busyModes } from '../../transcript/steering';

/** Settings that count only in user settings: where prompts, keys or sessions go, when sessions are erased, and what
 *  may run and how. A repository that could set them could read or destroy sessions, or widen what may run. */
const guardedSettings = [
  'hermes.model',
  'hermes.mode',
  'hermes.approvals.allow',
  'hermes.approvals.deny',
  'hermes.approvals.withoutSandbox',
  'hermes.providers',
  'hermes.compression.model',
  'hermes.memory.provider',
  'hermes.memory.hindsight.url',
  'hermes.memory.hindsight.bank',
  'hermes.storage.path',
  'hermes.terminal.timeout',
  'hermes.terminal.sandbox',
  'hermes.spendingLimit',
  'hermes.trash.days',
  'hermes.backups.enabled',
  'hermes.backups.folder',
  'hermes.mcp.servers',
  'hermes.personalFiles',
] as const;
type GuardedSetting = (typeof guardedSettings)[number];

export interface WorkspaceOverride {
  readonly setting: GuardedSetting;
  /** File that sets it, as the user finds it: ".vscode/settings.json". */
  readonly file: string;
}

const jsonText = v.pipe(v.string(), v.parseJson(), v.string());

/** Guarded settings that a workspace's settings text names. The editor drops them silently, so the user must be
 *  notified that they have no effect. Settings files are JSON with comments, so this removes comments before it
 *  searches for keys. */
export function workspaceOverrides(file: string, text: string): readonly WorkspaceOverride[] {
  const plain = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (token) =>
    token.startsWith('"') ? token : ' ',
  );
  const keys = new Set(
    [...plain.matchAll(/"((?:[^"\\\n]|\\.)*)"\s*:/g)]
      .map((match) => v.safeParse(jsonText, `"${match[1] ?? ''}"`))
      .flatMap((key) => (key.success ? [key.output] : [])),
  );
  return guardedSettings.filter((setting) => keys.has(setting)).map((setting) => ({ setting, file }));
}

const describedModelSchema = v.object({
  id: v.pipe(v.string(), v.nonEmpty('empty')),
  contextWindow: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  tools: v.optional(v.boolean()),
  images: v.optional(v.boolean()),
});

/** The messages are keys of `fieldProblem`. */
const endpointSchema = v.object({
  name: v.pipe(v.string(), v.trim(), v.nonEmpty('empty'), v.excludes('/', 'slash')),
  protocol: v.picklist(['openai', 'anthropic'], 'protocol'),
  baseUrl: v.pipe(
    v.string(),
    v.trim(),
    v.check((text) => parseEndpoint(text) !== null, 'address'),
  ),
  models: v.optional(v.array(describedModelSchema)),
});

/** Reads `hermes.providers`. Reports and leaves out each invalid entry. */
function readProviderEntries(value: unknown, complain: (sentence: string) => void): readonly ProviderSettings[] {
  if (!Array.isArray(value)) {
    complain(t('The setting `hermes.providers` is not a list of providers. It is ignored until you fix it.'));
    return [];
  }
  const entries: readonly unknown[] = value;
  const endpoints = new Map<string, ProviderSettings>();
  for (const [index, entry] of entries.entries()) {
    const parsed = v.safeParse(endpointSchema, entry);
    if (!parsed.success) complain(entryProblem(index + 1, entry, parsed.issues.map(fieldProblem).join('; ')));
    else if (endpoints.has(parsed.output.name))
      complain(
        t(
          'Entry {number} of the setting `hermes.providers` (“{name}”) is ignored: an earlier entry has the same name.',
          { number: index + 1, name: parsed.output.name },
        ),
      );
    else endpoints.set(parsed.output.name, parsed.output);
  }
  return [...endpoints.values()];
}

function entryProblem(number: number, entry: unknown, reasons: string): string {
  const named = v.safeParse(v.object({ name: v.string() }), entry);
  return named.success
    ? t('Entry {number} of the setting `hermes.providers` (“{name}”) is ignored: {reasons}.', {
        number,
        name: named.output.name,
        reasons,
      })
    : t('Entry {number} of the setting `hermes.providers` is ignored: {reasons}.', { number, reasons });
}

function fieldProblem(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue);
  if (field === null) return t('it is not an object with name, protocol, and baseUrl');
  if (issue.received === 'undefined') return t('{field} is missing', { field });
  switch (issue.message) {
    case 'empty':
      return t('{field} is empty', { field });
    case 'slash':
      return t('{field} contains a slash', { field });
    case 'protocol':
      return t('{field} is neither “openai” nor “anthropic”', { field });
    case 'address':
      return t('{field} is not a web address that begins with http:// or https://', { field });
    default:
      return t('{field} can’t be used', { field });
  }
}

const notificationModes = ['whenHidden', 'always', 'never'] as const;
export type NotificationMode = (typeof notificationModes)[number];

/** Source of the titles of sessions: the model, after the first answer, or the first prompt alone. */
const sessionTitles = ['model', 'prompt'] as const;
type TitleMode = (typeof sessionTitles)[number];

export interface HermesSettings {
  /** "<provider>/<id>". Null: none is chosen. */
  readonly model: string | null;
  readonly providers: readonly ProviderSettings[];
  readonly reasoningEffort: ReasoningEffort;
  readonly busyInput: BusyMode;
  readonly maxIterations: number;
  /** US dollars that a session may cost before a turn stops and asks. 0: no limit. */
  readonly spendingLimit: number;
  readonly sessionTitles: TitleMode;
  /** Approval mode of sessions for which the user chose none. */
  readonly mode: Mode;
  /** Rules for calls that are allowed without asking, and for calls that are denied. */
  readonly approvals: ApprovalSettings;
  /** True to keep previous contents of files that the agent changes, so that they can be reverted. */
  readonly checkpoints: boolean;
  /** Groups of the user's own files for agents that are read. */
  readonly personalFiles: readonly PersonalGroup[];
  /** Condition for notifying the user outside the chat that a turn waits for them. */
  readonly notifications: NotificationMode;
  /** Share of the context window (0.3 to 0.95) at which a session is compressed. */
  readonly compressionThreshold: number;
  /** "<provider>/<id>" of the model that writes summaries. Null: the model of the session. */
  readonly compressionModel: string | null;
  /** "none", "builtin", or the name of an external memory provider, which is used beside the built-in one. */
  readonly memoryProvider: string;
  readonly hindsightUrl: string | null;
  readonly hindsightBank: string | null;
  readonly storagePath: string | null;
  /** Timeout of a command for which the model names none. Seconds, 1 to 86,400. */
  readonly terminalTimeoutSeconds: number;
  /** Sandbox mode: if the operating system confines commands. */
  readonly sandbox: SandboxSetting;
  /** Days that a deleted session stays in the trash. 0: until the user forgets it. */
  readonly trashDays: number;
  /** False: no backup is made unless the user asks for one. */
  readonly backupsEnabled: boolean;
  /** Absolute path of the folder for the backups of every store. Null: beside each store. */
  readonly backupsFolder: string | null;
}

/** An unusable value, and what is used instead. */
export interface SettingProblem {
  readonly setting: string;
  readonly sentence: string;
}

/** Result of `WorkspaceConfiguration.inspect` for one setting. */
interface InspectedSetting {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
}

/** The used part of the editor's configuration. Names are complete: "hermes.model". */
export interface SettingSource {
  /** Effective value, after the editor has merged all levels. */
  get(setting: string): unknown;
  inspect(setting: string): InspectedSetting | undefined;
  /** Tells if a folder may be the repository's own, although only the user and the machine can name it. Default: none
   *  is. */
  isInRepository?(path: string): boolean;
}

/** Builds the sentence about a setting whose value cannot be used. */
type ProblemOf = (setting: string) => string;

const notOneOf =
  (values: readonly string[]): ProblemOf =>
  (setting) =>
    t('The setting `{setting}` is not one of {values}. The default is used until you fix it.', {
      setting,
      values: shownList(values),
    });
const notAListOf =
  (values: readonly string[]): ProblemOf =>
  (setting) =>
    t('The setting `{setting}` is not a list of {values}. The default is used until you fix it.', {
      setting,
      values: shownList(values),
    });
const notANumber =
  (min: number, max: number): ProblemOf =>
  (setting) =>
    t('The setting `{setting}` is not a number from {min} to {max}. The default is used until you fix it.', {
      setting,
      min,
      max,
    });
const notAWholeNumber =
  (min: number, max: number): ProblemOf =>
  (setting) =>
    t('The setting `{setting}` is not a whole number from {min} to {max}. The default is used until you fix it.', {
      setting,
      min,
      max,
    });
const notABoolean: ProblemOf = (setting) =>
  t('The setting `{setting}` is neither true nor false. The default is used until you fix it.', { setting });
const notAModel: ProblemOf = (setting) =>
  t('The setting `{setting}` is not written as Provider/model-id. The default is used until you fix it.', { setting });
const notAWebAddress: ProblemOf = (setting) =>
  t(
    'The setting `{setting}` is not a web address that begins with http:// or https://. The default is used until you fix it.',
    { setting },
  );
const notAPath: ProblemOf = (setting) =>
  t('The setting `{setting}` is not an absolute path. The default is used until you fix it.', { setting });
const inRepository: ProblemOf = (setting) =>
  t(
    'The setting `{setting}` names a place in the open folder, which the repository can fill. The default is used until you fix it.',
    { setting },
  );
const notAMemoryProvider: ProblemOf = (setting) =>
  t('The setting `{setting}` is not the name of a memory provider. The default is used until you fix it.', { setting });
const notAMemoryBank: ProblemOf = (setting) =>
  t('The setting `{setting}` is not the name of a memory bank. The default is used until you fix it.', { setting });

const trimmed = v.pipe(v.string(), v.trim());
const modelRef = v.pipe(trimmed, v.regex(/^$|^[^/]+\/.+$/));
const webAddress = v.pipe(
  trimmed,
  v.check((address) => address === '' || parseEndpoint(address) !== null),
);
const absolutePath = v.pipe(trimmed, v.regex(/^$|^[/\\]|^[A-Za-z]:[/\\]/));

/** Reads every setting. Reports an invalid value in a sentence and uses its default; one invalid provider does not
 *  affect the others. Guarded settings count only in user settings, where a repository cannot write them. They name
 *  endpoints, models or the place of the history, say when it is erased, or decide what may run. */
export function readSettings(source: SettingSource): {
  readonly settings: HermesSettings;
  readonly problems: readonly SettingProblem[];
} {
  const problems: SettingProblem[] = [];
  const complain = (setting: string, sentence: string): void => void problems.push({ setting, sentence });
  const read = <T>(setting: string, schema: v.GenericSchema<unknown, T>, otherwise: T, problemOf: ProblemOf): T => {
    const parsed = v.safeParse(schema, valueOf(source, setting));
    if (!parsed.success) complain(setting, problemOf(setting));
    return parsed.success ? parsed.output : otherwise;
  };
  const oneOf = <const T extends string>(setting: string, values: readonly T[], otherwise: NoInfer<T>): T =>
    read(setting, v.picklist(values), otherwise, notOneOf(values));
  const flag = (setting: string, otherwise: boolean): boolean => read(setting, v.boolean(), otherwise, notABoolean);
  const number = (setting: string, min: number, max: number, otherwise: number): number =>
    read(setting, v.pipe(v.number(), v.minValue(min), v.maxValue(max)), otherwise, notANumber(min, max));
  const wholeNumber = (setting: string, min: number, max: number, otherwise: number): number =>
    read(
      setting,
      v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)),
      otherwise,
      notAWholeNumber(min, max),
    );
  /** Null where the setting is empty. */
  const text = (setting: string, schema: v.GenericSchema<unknown, string>, problemOf: ProblemOf): string | null =>
    read(setting, schema, '', problemOf) || null;
  const folder = (setting: string): string | null => {
    const path = text(setting, absolutePath, notAPath);
    if (path === null || source.isInRepository?.(path) !== true) return path;
    complain(setting, inRepository(setting));
    return null;
  };
  return {
    settings: {
      model: text('hermes.model', modelRef, notAModel),
      compressionModel: text('hermes.compression.model', modelRef, notAModel),
      hindsightUrl: text('hermes.memory.hindsight.url', webAddress, notAWebAddress),
      hindsightBank: text('hermes.memory.hindsight.bank', trimmed, notAMemoryBank),
      storagePath: folder('hermes.storage.path'),
      backupsFolder: folder('hermes.backups.folder'),
      providers: readProviderEntries(valueOf(source, 'hermes.providers'), (sentence) =>
        complain('hermes.providers', sentence),
      ),
      reasoningEffort: oneOf('hermes.reasoningEffort', reasoningEfforts, 'default'),
      busyInput: oneOf('hermes.busyInput', busyModes, 'queue'),
      mode: oneOf('hermes.mode', modes, 'ask'),
      approvals: {
        ...readApprovals(valueOf(source, 'hermes.approvals.allow'), valueOf(source, 'hermes.approvals.deny'), complain),
        matchesPrefixes: flag('hermes.approvals.withoutSandbox', false),
      },
      checkpoints: flag('hermes.checkpoints', true),
      personalFiles: read(
        'hermes.personalFiles',
        v.array(v.picklist(personalGroups)),
        [...personalGroups],
        notAListOf(personalGroups),
      ),
      notifications: oneOf('hermes.notifications', notificationModes, 'whenHidden'),
      maxIterations: wholeNumber('hermes.maxIterations', 1, 1000, 90),
      spendingLimit: number('hermes.spendingLimit', 0, 100_000, 0),
      sessionTitles: oneOf('hermes.sessionTitles', sessionTitles, 'model'),
      compressionThreshold: number('hermes.compression.threshold', 0.3, 0.95, 0.8),
      memoryProvider: read('hermes.memory.provider', v.pipe(trimmed, v.nonEmpty()), 'builtin', notAMemoryProvider),
      terminalTimeoutSeconds: number('hermes.terminal.timeout', 1, 86_400, 120),
      sandbox: oneOf('hermes.terminal.sandbox', sandboxSettings, 'auto'),
      trashDays: wholeNumber('hermes.trash.days', 0, 3650, 30),
      backupsEnabled: flag('hermes.backups.enabled', true),
    },
    problems,
  };
}

function valueOf(source: SettingSource, setting: string): unknown {
  if (!guardedSettings.some((guarded) => guarded === setting)) return source.get(setting);
  const inspected = source.inspect(setting);
  return inspected?.globalValue ?? inspected?.defaultValue;
}

export interface ApprovalSettings {
  readonly allow: readonly string[];
  /** Includes unreadable entries: the policy asks before everything that they may be meant to deny. */
  readonly deny: readonly string[];
  /** True when rules that end in ` *` also count for commands without a sandbox. */
  readonly matchesPrefixes: boolean;
}

/** Reads both rule lists. Reports and ignores an invalid allow rule; reports and keeps an invalid deny rule. */
export function readApprovals(
  allow: unknown,
  deny: unknown,
  complain: (setting: string, sentence: string) => void,
): Omit<ApprovalSettings, 'matchesPrefixes'> {
  const allowed = entriesOf(allow).filter((rule) => {
    const problem = allowRuleProblem(rule);
    if (problem !== null)
      complain(
        'hermes.approvals.allow',
        joinSentences([problem, t('It is in the setting `hermes.approvals.allow` and is ignored until you fix it.')]),
      );
    return problem === null;
  });
  const denied = entriesOf(deny);
  for (const sentence of denied.map(denyRuleProblem))
    if (sentence !== null) complain('hermes.approvals.deny', sentence);
  return { allow: allowed, deny: denied };
}

function entriesOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)));
}

import * as v from 'valibot';
import { parseEndpoint } from '../../models/http/endpoint';
import type { Mode } from '../../transcript/approval';
import { modes } from '../../transcript/approvalChecks';
import { type BusyMode, busyModes } from '../../transcript/steering';
import { type PersonalGroup, personalGroups } from '../../transcript/contextFiles';
import { reasoningEfforts, type ReasoningEffort } from '../../transcript/session';
import type { ProviderSettings } from '../../models/providerSettings';
import { type SandboxSetting, sandboxSettings } from '../../tools/sandbox/sandbox';
import { type ApprovalSettings, readApprovals } from './approvalSettings';
import {
  notABoolean,
  notAListOf,
  notAMemoryBank,
  notAMemoryProvider,
  notAModel,
  notANumber,
  inRepository,
  notAPath,
  notAWebAddress,
  notAWholeNumber,
  notOneOf,
  type ProblemOf,
} from './settingProblems';
import { guardedSettings } from './workspaceOverrides';
import { t } from '../../base/translate';

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

/** Reads every setting. Reports an invalid value in a sentence and uses its default; one invalid provider does not
 *  affect the others. Guarded settings count only in user settings, where a repository cannot write them. They name
 *  endpoints, models or the place of the history, say when it is erased, or decide what may run. */
export function readSettings(source: SettingSource): {
  readonly settings: HermesSettings;
  readonly problems: readonly SettingProblem[];
} {
  const problems: SettingProblem[] = [];
  const read = <T>(setting: string, schema: v.GenericSchema<unknown, T>, otherwise: T, problemOf: ProblemOf): T => {
    const parsed = v.safeParse(schema, valueOf(source, setting));
    if (parsed.success) return parsed.output;
    problems.push({ setting, sentence: problemOf(setting) });
    return otherwise;
  };
  const text = v.pipe(v.string(), v.trim());
  const model = read('hermes.model', v.pipe(text, v.regex(/^$|^[^/]+\/.+$/)), '', notAModel);
  const compressionModel = read('hermes.compression.model', v.pipe(text, v.regex(/^$|^[^/]+\/.+$/)), '', notAModel);
  const hindsightUrl = read(
    'hermes.memory.hindsight.url',
    v.pipe(
      text,
      v.check((address) => address === '' || parseEndpoint(address) !== null),
    ),
    '',
    notAWebAddress,
  );
  const hindsightBank = read('hermes.memory.hindsight.bank', text, '', notAMemoryBank);
  const absolutePath = v.pipe(text, v.regex(/^$|^[/\\]|^[A-Za-z]:[/\\]/));
  const folder = (setting: string): string => {
    const path = read(setting, absolutePath, '', notAPath);
    if (path === '' || source.isInRepository?.(path) !== true) return path;
    problems.push({ setting, sentence: inRepository(setting) });
    return '';
  };
  const [storagePath, backupsFolder] = [folder('hermes.storage.path'), folder('hermes.backups.folder')];
  return {
    settings: {
      model: model === '' ? null : model,
      providers: readProviderEntries(valueOf(source, 'hermes.providers'), (sentence) =>
        problems.push({ setting: 'hermes.providers', sentence }),
      ),
      reasoningEffort: read(
        'hermes.reasoningEffort',
        v.picklist(reasoningEfforts),
        'default',
        notOneOf(reasoningEfforts),
      ),
      busyInput: read('hermes.busyInput', v.picklist(busyModes), 'queue', notOneOf(busyModes)),
      mode: read('hermes.mode', v.picklist(modes), 'ask', notOneOf(modes)),
      approvals: {
        ...readApprovals(
          valueOf(source, 'hermes.approvals.allow'),
          valueOf(source, 'hermes.approvals.deny'),
          (setting, sentence) => problems.push({ setting, sentence }),
        ),
        matchesPrefixes: read('hermes.approvals.withoutSandbox', v.boolean(), false, notABoolean),
      },
      checkpoints: read('hermes.checkpoints', v.boolean(), true, notABoolean),
      personalFiles: read(
        'hermes.personalFiles',
        v.array(v.picklist(personalGroups)),
        [...personalGroups],
        notAListOf(personalGroups),
      ),
      notifications: read(
        'hermes.notifications',
        v.picklist(notificationModes),
        'whenHidden',
        notOneOf(notificationModes),
      ),
      maxIterations: read(
        'hermes.maxIterations',
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)),
        90,
        notAWholeNumber(1, 1000),
      ),
      spendingLimit: read(
        'hermes.spendingLimit',
        v.pipe(v.number(), v.minValue(0), v.maxValue(100_000)),
        0,
        notANumber(0, 100_000),
      ),
      sessionTitles: read('hermes.sessionTitles', v.picklist(sessionTitles), 'model', notOneOf(sessionTitles)),
      compressionThreshold: read(
        'hermes.compression.threshold',
        v.pipe(v.number(), v.minValue(0.3), v.maxValue(0.95)),
        0.8,
        notANumber(0.3, 0.95),
      ),
      compressionModel: compressionModel === '' ? null : compressionModel,
      memoryProvider: read('hermes.memory.provider', v.pipe(text, v.nonEmpty()), 'builtin', notAMemoryProvider),
      hindsightUrl: hindsightUrl === '' ? null : hindsightUrl,
      hindsightBank: hindsightBank === '' ? null : hindsightBank,
      storagePath: storagePath === '' ? null : storagePath,
      terminalTimeoutSeconds: read(
        'hermes.terminal.timeout',
        v.pipe(v.number(), v.minValue(1), v.maxValue(86_400)),
        120,
        notANumber(1, 86_400),
      ),
      sandbox: read('hermes.terminal.sandbox', v.picklist(sandboxSettings), 'auto', notOneOf(sandboxSettings)),
      trashDays: read(
        'hermes.trash.days',
        v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3650)),
        30,
        notAWholeNumber(0, 3650),
      ),
      backupsEnabled: read('hermes.backups.enabled', v.boolean(), true, notABoolean),
      backupsFolder: backupsFolder === '' ? null : backupsFolder,
    },
    problems,
  };
}

function valueOf(source: SettingSource, setting: string): unknown {
  if (!guardedSettings.some((guarded) => guarded === setting)) return source.get(setting);
  const inspected = source.inspect(setting);
  return inspected?.globalValue ?? inspected?.defaultValue;
}

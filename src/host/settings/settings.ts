import * as v from 'valibot';
import { parseEndpoint } from '../../models/http/endpoint';
import { type Mode, modes } from '../../transcript/approval';
import { type BusyMode, busyModes } from '../../transcript/busyMode';
import { type PersonalGroup, personalGroups } from '../../transcript/contextFiles';
import { reasoningEfforts, type ReasoningEffort } from '../../transcript/reasoningEffort';
import type { ProviderSettings } from '../../models/providerSettings';
import { type SandboxSetting, sandboxSettings } from '../../tools/sandbox/sandboxSetting';
import { type ApprovalSettings, readApprovals } from './approvalSettings';
import { guardedSettings } from './workspaceOverrides';

export const notificationModes = ['whenHidden', 'always', 'never'] as const;
export type NotificationMode = (typeof notificationModes)[number];

/** Source of the titles of sessions: the model, after the first answer, or the first prompt alone. */
export const sessionTitles = ['model', 'prompt'] as const;
export type TitleMode = (typeof sessionTitles)[number];

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
  /** Milliseconds that a turn waits for recall, at most 60,000. */
  readonly memoryRecallTimeoutMs: number;
  readonly hindsightUrl: string | null;
  readonly hindsightBank: string | null;
  readonly storagePath: string | null;
  /** Timeout of a command for which the model names none. Seconds, 1 to 86,400. */
  readonly terminalTimeoutSeconds: number;
  /** Sandbox mode: if the operating system confines commands. */
  readonly sandbox: SandboxSetting;
  /** Days that a deleted session stays in the trash. 0: until the user forgets it. */
  readonly trashDays: number;
}

/** An unusable value, and what is used instead. */
export interface SettingProblem {
  readonly setting: string;
  readonly sentence: string;
}

/** Result of `WorkspaceConfiguration.inspect` for one setting. */
export interface InspectedSetting {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
}

/** The used part of the editor's configuration. Names are complete: "hermes.model". */
export interface SettingSource {
  /** Effective value, after the editor has merged all levels. */
  get(setting: string): unknown;
  inspect(setting: string): InspectedSetting | undefined;
}

const describedModelSchema = v.object({
  id: v.pipe(v.string(), v.nonEmpty('is empty')),
  contextWindow: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  tools: v.optional(v.boolean()),
  images: v.optional(v.boolean()),
});

const endpointSchema = v.object({
  name: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.excludes('/', 'contains a slash')),
  protocol: v.picklist(['openai', 'anthropic'], 'is neither "openai" nor "anthropic"'),
  baseUrl: v.pipe(
    v.string(),
    v.trim(),
    v.check((text) => parseEndpoint(text) !== null, 'is not a web address that begins with http:// or https://'),
  ),
  models: v.optional(v.array(describedModelSchema)),
});

/** Reads every setting. Reports an invalid value in a sentence and uses its default; one invalid provider does not
 *  affect the others. Guarded settings count only in user settings, where a repository cannot write them. They name
 *  endpoints, models or the place of the history, say when it is erased, or decide what may run. */
export function readSettings(source: SettingSource): {
  readonly settings: HermesSettings;
  readonly problems: readonly SettingProblem[];
} {
  const problems: SettingProblem[] = [];
  const read = <T>(setting: string, schema: v.GenericSchema<unknown, T>, otherwise: T, expected: string): T => {
    const parsed = v.safeParse(schema, valueOf(source, setting));
    if (parsed.success) return parsed.output;
    problems.push({
      setting,
      sentence: `The setting \`${setting}\` ${expected}. The default is used until you fix it.`,
    });
    return otherwise;
  };
  const text = v.pipe(v.string(), v.trim());
  const model = read(
    'hermes.model',
    v.pipe(text, v.regex(/^$|^[^/]+\/.+$/)),
    '',
    'is not written as Provider/model-id',
  );
  const compressionModel = read(
    'hermes.compression.model',
    v.pipe(text, v.regex(/^$|^[^/]+\/.+$/)),
    '',
    'is not written as Provider/model-id',
  );
  const hindsightUrl = read(
    'hermes.memory.hindsight.url',
    v.pipe(
      text,
      v.check((address) => address === '' || parseEndpoint(address) !== null),
    ),
    '',
    'is not a web address that begins with http:// or https://',
  );
  const hindsightBank = read('hermes.memory.hindsight.bank', text, '', 'is not the name of a memory bank');
  const recallSeconds = read(
    'hermes.memory.recallTimeout',
    v.pipe(v.number(), v.minValue(0), v.maxValue(60)),
    2,
    'is not a number of seconds from 0 to 60',
  );
  const storagePath = read(
    'hermes.storage.path',
    v.pipe(text, v.regex(/^$|^[/\\]|^[A-Za-z]:[/\\]/)),
    '',
    'is not an absolute path',
  );
  return {
    settings: {
      model: model === '' ? null : model,
      providers: readEndpoints(valueOf(source, 'hermes.providers'), problems),
      reasoningEffort: read(
        'hermes.reasoningEffort',
        v.picklist(reasoningEfforts),
        'default',
        `is not one of ${reasoningEfforts.join(', ')}`,
      ),
      busyInput: read('hermes.busyInput', v.picklist(busyModes), 'queue', `is not one of ${busyModes.join(', ')}`),
      mode: read('hermes.mode', v.picklist(modes), 'ask', `is not one of ${modes.join(', ')}`),
      approvals: readApprovals(
        valueOf(source, 'hermes.approvals.allow'),
        valueOf(source, 'hermes.approvals.deny'),
        (setting, sentence) => problems.push({ setting, sentence }),
      ),
      checkpoints: read('hermes.checkpoints', v.boolean(), true, 'is neither true nor false'),
      personalFiles: read(
        'hermes.personalFiles',
        v.array(v.picklist(personalGroups)),
        [...personalGroups],
        `is not a list of ${personalGroups.join(', ')}`,
      ),
      notifications: read(
        'hermes.notifications',
        v.picklist(notificationModes),
        'whenHidden',
        `is not one of ${notificationModes.join(', ')}`,
      ),
      maxIterations: read(
        'hermes.maxIterations',
        v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)),
        90,
        'is not a whole number from 1 to 1000',
      ),
      spendingLimit: read(
        'hermes.spendingLimit',
        v.pipe(v.number(), v.minValue(0), v.maxValue(100_000)),
        0,
        'is not a number of US dollars from 0 to 100000',
      ),
      sessionTitles: read(
        'hermes.sessionTitles',
        v.picklist(sessionTitles),
        'model',
        `is not one of ${sessionTitles.join(', ')}`,
      ),
      compressionThreshold: read(
        'hermes.compression.threshold',
        v.pipe(v.number(), v.minValue(0.3), v.maxValue(0.95)),
        0.8,
        'is not a number from 0.3 to 0.95',
      ),
      compressionModel: compressionModel === '' ? null : compressionModel,
      memoryProvider: read(
        'hermes.memory.provider',
        v.pipe(text, v.nonEmpty()),
        'builtin',
        'is not the name of a memory provider',
      ),
      memoryRecallTimeoutMs: recallSeconds * 1000,
      hindsightUrl: hindsightUrl === '' ? null : hindsightUrl,
      hindsightBank: hindsightBank === '' ? null : hindsightBank,
      storagePath: storagePath === '' ? null : storagePath,
      terminalTimeoutSeconds: read(
        'hermes.terminal.timeout',
        v.pipe(v.number(), v.minValue(1), v.maxValue(86_400)),
        120,
        'is not a number of seconds from 1 to 86400',
      ),
      sandbox: read(
        'hermes.terminal.sandbox',
        v.picklist(sandboxSettings),
        'auto',
        `is not one of ${sandboxSettings.join(', ')}`,
      ),
      trashDays: read(
        'hermes.trash.days',
        v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3650)),
        30,
        'is not a whole number of days from 0 to 3650',
      ),
    },
    problems,
  };
}

function valueOf(source: SettingSource, setting: string): unknown {
  if (!guardedSettings.some((guarded) => guarded === setting)) return source.get(setting);
  const inspected = source.inspect(setting);
  return inspected?.globalValue ?? inspected?.defaultValue;
}

function readEndpoints(value: unknown, problems: SettingProblem[]): readonly ProviderSettings[] {
  const setting = 'hermes.providers';
  const complain = (sentence: string): void => void problems.push({ setting, sentence });
  if (!Array.isArray(value)) {
    complain('The setting hermes.providers is not a list of providers. It is ignored until you fix it.');
    return [];
  }
  const endpoints = new Map<string, ProviderSettings>();
  for (const [index, entry] of value.entries()) {
    const parsed = v.safeParse(endpointSchema, entry);
    const named = `Entry ${index + 1} of the setting \`hermes.providers\`${nameOf(entry)}`;
    if (!parsed.success)
      complain(
        `${named} is ignored: ${parsed.issues.map((issue) => `${v.getDotPath(issue) ?? 'it'} ${issue.message}`).join('; ')}.`,
      );
    else if (endpoints.has(parsed.output.name)) complain(`${named} is ignored: an earlier entry has the same name.`);
    else endpoints.set(parsed.output.name, parsed.output);
  }
  return [...endpoints.values()];
}

function nameOf(entry: unknown): string {
  const named = v.safeParse(v.object({ name: v.string() }), entry);
  return named.success ? ` (“${named.output.name}”)` : '';
}

import * as v from 'valibot';
import { modes } from './approvalChecks';
import { hookRun } from './hookRun';
import type { Stored } from './json';

export type Mode = (typeof modes)[number];

/** Path in the form that the approval policy judges. */
const accessPath = v.object({
  /** Absolute, with every symbolic link resolved, even when the file itself does not exist yet. */
  path: v.string(),
  /** Displayed path: relative to the open folder if it is inside one. */
  shown: v.string(),
  /** True when inside an open folder, after links were resolved. */
  isInside: v.boolean(),
});
export type AccessPath = Stored<typeof accessPath>;

const shells = ['posix', 'powershell', 'cmd'] as const;
export type ShellKind = (typeof shells)[number];

/** Sandbox of a command. Absent: this machine has none, or it is switched off. inside: the command may reach `hosts`
 *  ("registry.npmjs.org"); `isRestorable`: a checkpoint can restore the files that its words discard; `hasLeftovers`:
 *  an earlier one made a file that could not be taken out. outside: it should run without a sandbox, for the reason
 *  that the model gives. */
const confined = v.variant('kind', [
  v.object({
    kind: v.literal('inside'),
    hosts: v.array(v.string()),
    isRestorable: v.exactOptional(v.literal(true)),
    hasLeftovers: v.exactOptional(v.literal(true)),
  }),
  v.object({ kind: v.literal('outside'), reason: v.string() }),
]);
export type Confined = Stored<typeof confined>;

const inputField = v.object({
  name: v.string(),
  title: v.string(),
  description: v.nullable(v.string()),
  isRequired: v.boolean(),
  value: v.variant('kind', [
    v.object({ kind: v.literal('text'), default: v.exactOptional(v.string()) }),
    v.object({ kind: v.literal('number'), isWhole: v.boolean(), default: v.exactOptional(v.number()) }),
    v.object({ kind: v.literal('yesNo'), default: v.exactOptional(v.boolean()) }),
    /** `isMany`: any number of them. */
    v.object({
      kind: v.literal('choice'),
      isMany: v.boolean(),
      options: v.array(v.object({ value: v.string(), label: v.string() })),
      default: v.exactOptional(v.array(v.string())),
    }),
  ]),
});
export type InputField = Stored<typeof inputField>;

/** What a server wants to know from the user: fields to fill in, or a page to visit. The message is the subject. */
const askedInput = v.variant('kind', [
  v.object({ kind: v.literal('form'), fields: v.array(inputField) }),
  v.object({ kind: v.literal('url'), url: v.string() }),
]);
export type AskedInput = Stored<typeof askedInput>;

const editAccess = v.object({ kind: v.literal('edit'), paths: v.array(accessPath) });

/** Access that a tool call needs, in the kinds that the policy decides differently. */
const access = v.variant('kind', [
  v.object({ kind: v.literal('read'), paths: v.array(accessPath) }),
  editAccess,
  v.object({
    kind: v.literal('run'),
    command: v.string(),
    folder: accessPath,
    shell: v.picklist(shells),
    confined: v.exactOptional(confined),
  }),
  v.object({ kind: v.literal('fetch'), url: v.string() }),
  /** `readOnly` is the server's claim and guarantees nothing. */
  v.object({ kind: v.literal('mcp'), server: v.string(), tool: v.string(), readOnly: v.boolean() }),
  /** The MCP server asks for this in the middle of a call, which has begun. `isAgent`: not a server, but an agent of
   *  another maker. */
  v.object({
    kind: v.literal('input'),
    server: v.string(),
    asked: askedInput,
    isAgent: v.exactOptional(v.literal(true)),
  }),
  /** Tool of another extension. */
  v.object({ kind: v.literal('editorTool'), name: v.string() }),
  /** Something that an agent of another maker wants to do. `action` empty: to read the session above. */
  v.object({ kind: v.literal('agent'), agent: v.string(), action: v.string() }),
  /** Leaves Plan mode with the displayed plan. */
  v.object({ kind: v.literal('plan') }),
]);
export type Access = Stored<typeof access>;

/** Reasons for an approval, shown on its card. Surfaces define the texts once. rules: a rule that denies something
 *  of its kind cannot be parsed. unconfined: the command would run outside the sandbox. discards: it may destroy
 *  work. leftovers: an earlier command made a file that only the user may allow, and that could not
 *  be removed. hook: a hook says so. always: an agent of another maker can only be allowed for good. */
const askReasons = [
  'change',
  'outside',
  'sensitive',
  'dotConfig',
  'repositoryInternals',
  'command',
  'unparsed',
  'network',
  'localAddress',
  'server',
  'extension',
  'agent',
  'plan',
  'rules',
  'unconfined',
  'discards',
  'leftovers',
  'hook',
  'always',
] as const;
export type AskReason = (typeof askReasons)[number];

/** The ten effects of commands that people fear, named on the card. Surfaces define the texts once. rewrites: commits
 *  or branches of a repository, here or on a remote. rights: runs as another user. live: services, databases and
 *  containers that others use. */
export const commandEffects = [
  'deletes',
  'discards',
  'rewrites',
  'publishes',
  'downloads',
  'uploads',
  'rights',
  'installs',
  'machine',
  'live',
] as const;
export type CommandEffect = (typeof commandEffects)[number];

/** `target`: the remote, user or host that the command names. Absent: none that can be shown in one word. */
export interface NamedRisk {
  readonly kind: CommandEffect;
  readonly target?: string;
}

/** Earlier versions named more effects. */
const risks = v.pipe(
  v.array(v.object({ kind: v.string(), target: v.exactOptional(v.string()) })),
  v.transform((stored): readonly NamedRisk[] =>
    stored.flatMap((risk) => {
      const kind = commandEffects.find((each) => each === risk.kind);
      return kind === undefined ? [] : [{ ...risk, kind }];
    }),
  ),
);

/** Edit that waits after another one of the same answer. */
const waitingEdit = v.object({
  callId: v.string(),
  tool: v.string(),
  access: editAccess,
  subject: v.string(),
  preview: v.string(),
});
export type WaitingEdit = Stored<typeof waitingEdit>;

/** Approval request as it is stored and rendered on its card. */
export const approvalRequest = v.object({
  tool: v.string(),
  access,
  /** Subject in one line: the command, the path, the address. */
  subject: v.string(),
  reasons: v.array(v.picklist(askReasons)),
  /** Rules that would allow it from now on ("run(npm test)"), one per part of a compound command. Empty: it can only
   *  be allowed once. */
  rules: v.array(v.string()),
  /** Change as a unified diff, or the plan as Markdown; null when there is nothing to show. */
  preview: v.nullable(v.string()),
  /** Risks of a command. Absent: none is known. */
  risks: v.exactOptional(risks),
  /** Later edits of the same answer that wait after this one, with what each would change. One decision may allow
   *  them all. Only plain edits, see `isPlainEdit`. Absent: none. */
  together: v.exactOptional(v.array(waitingEdit)),
  /** What hooks said before the user was asked. The call is not given to them again. Absent: none ran. `arguments`: the
   *  call's own from now on, as JSON text; null: unchanged. `context`: text for the model. */
  hooks: v.exactOptional(
    v.object({
      runs: v.array(hookRun),
      asks: v.boolean(),
      arguments: v.nullable(v.string()),
      context: v.string(),
    }),
  ),
});
export type ApprovalRequest = Stored<typeof approvalRequest>;

/** The user's answers to a request for input, by the names of its fields. */
export const inputAnswer = v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]));
export type InputAnswer = Readonly<v.InferOutput<typeof inputAnswer>>;

/** `rules`: as edited by the user. They apply to the session's conversation, this workspace, or everywhere. `rule`:
 *  validates one of them. */
export const approvalDecision = (rule: v.GenericSchema<string>) =>
  v.variant('kind', [
    v.variant('scope', [
      v.object({
        kind: v.literal('allow'),
        scope: v.literal('once'),
        /** Mode of the session from now on, stored in the same transaction. For a plan, and for Allow All Edits. */
        mode: v.exactOptional(v.picklist(modes)),
        /** Also allows the request's `together`. */
        together: v.exactOptional(v.literal(true)),
        /** For the fields of a request for input. Goes to the server alone. */
        answer: v.exactOptional(inputAnswer),
      }),
      v.object({ kind: v.literal('allow'), scope: v.picklist(['session', 'workspace', 'user']), rules: v.array(rule) }),
    ]),
    /** `reason` goes to the model. */
    v.object({ kind: v.literal('deny'), reason: v.nullable(v.string()) }),
  ]);
export type ApprovalDecision = Stored<ReturnType<typeof approvalDecision>>;

/** Approval of one tool call. It is stored before it is shown, and its decision before the tool runs. expired: the
 *  turn ended first, or whoever asked did not wait for the answer. */
export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly turnUid: string;
  /** Assistant row that contains the call. */
  readonly messageUid: string;
  readonly callId: string;
  readonly request: ApprovalRequest;
  /** Seconds since the epoch. */
  readonly requestedAt: number;
  /** Set when a running sub-agent asks: its title, and the call it works on. Never stored. */
  readonly subAgent?: { readonly title: string; readonly turnUid: string; readonly callId: string };
  readonly state:
    | { readonly kind: 'pending' }
    | { readonly kind: 'decided'; readonly decision: ApprovalDecision; readonly decidedAt: number }
    | { readonly kind: 'expired' };
}

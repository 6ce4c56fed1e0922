import type { HookRun } from './hookRun';
import type { InputAnswer } from './inputAnswer';

/** Freedom of the agent to change things in a session. ask: every change needs approval. auto: edits inside the open
 *  folders run without approval and can be reverted. plan: nothing changes until the user approves a plan. */
export const modes = ['ask', 'auto', 'plan'] as const;
export type Mode = (typeof modes)[number];

/** Path in the form that the approval policy judges. */
export interface AccessPath {
  /** Absolute, with every symbolic link resolved, even when the file itself does not exist yet. */
  readonly path: string;
  /** Displayed path: relative to the open folder if it is inside one. */
  readonly shown: string;
  /** True when inside an open folder, after links were resolved. */
  readonly isInside: boolean;
}

export type ShellKind = 'posix' | 'powershell' | 'cmd';

/** Sandbox of a command. Absent: this machine has none, or it is switched off. inside: the command may reach `hosts`
 *  ("registry.npmjs.org"); `isRestorable`: a checkpoint can restore the files that its words discard; `hasLeftovers`:
 *  an earlier one made a file that could not be taken out. outside: it should run without a sandbox, for the reason
 *  that the model gives. */
export type Confined =
  | {
      readonly kind: 'inside';
      readonly hosts: readonly string[];
      readonly isRestorable?: true;
      readonly hasLeftovers?: true;
    }
  | { readonly kind: 'outside'; readonly reason: string };

/** Access that a tool call needs, in the kinds that the policy decides differently. */
export type Access =
  | { readonly kind: 'read'; readonly paths: readonly AccessPath[] }
  | { readonly kind: 'edit'; readonly paths: readonly AccessPath[] }
  | {
      readonly kind: 'run';
      readonly command: string;
      readonly folder: AccessPath;
      readonly shell: ShellKind;
      readonly confined?: Confined;
    }
  | { readonly kind: 'fetch'; readonly url: string }
  /** `readOnly` is the server's claim and guarantees nothing. */
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly readOnly: boolean }
  /** The MCP server asks for this in the middle of a call, which has begun. `isAgent`: not a server, but an agent of
   *  another maker. */
  | { readonly kind: 'input'; readonly server: string; readonly asked: AskedInput; readonly isAgent?: true }
  /** Tool of another extension. */
  | { readonly kind: 'editorTool'; readonly name: string }
  /** Something that an agent of another maker wants to do. `action` empty: to read the session above. */
  | { readonly kind: 'agent'; readonly agent: string; readonly action: string }
  /** Leaves Plan mode with the displayed plan. */
  | { readonly kind: 'plan' };

/** What a server wants to know from the user: fields to fill in, or a page to visit. The message is the subject. */
export type AskedInput =
  { readonly kind: 'form'; readonly fields: readonly InputField[] } | { readonly kind: 'url'; readonly url: string };

export interface InputField {
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  readonly isRequired: boolean;
  readonly value:
    | { readonly kind: 'text'; readonly default?: string }
    | { readonly kind: 'number'; readonly isWhole: boolean; readonly default?: number }
    | { readonly kind: 'yesNo'; readonly default?: boolean }
    /** `isMany`: any number of them. */
    | {
        readonly kind: 'choice';
        readonly isMany: boolean;
        readonly options: readonly { readonly value: string; readonly label: string }[];
        readonly default?: readonly string[];
      };
}

/** Reasons for an approval, shown on its card. Surfaces define the texts once. rules: a rule that denies something
 *  of its kind cannot be parsed. unconfined: the command would run outside the sandbox. discards: it may destroy
 *  work. leftovers: an earlier command made a file that only the user may allow, and that could not
 *  be removed. hook: a hook says so. */
export const askReasons = [
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

/** Approval request as it is stored and rendered on its card. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly access: Access;
  /** Subject in one line: the command, the path, the address. */
  readonly subject: string;
  readonly reasons: readonly AskReason[];
  /** Rules that would allow it from now on ("run(npm test)"), one per part of a compound command. Empty: it can only
   *  be allowed once. */
  readonly rules: readonly string[];
  /** Change as a unified diff, or the plan as Markdown; null when there is nothing to show. */
  readonly preview: string | null;
  /** Risks of a command. Absent: none is known. */
  readonly risks?: readonly NamedRisk[];
  /** Later edits of the same answer that wait after this one, with what each would change. One decision may allow
   *  them all. Only plain edits, see `isPlainEdit`. Absent: none. */
  readonly together?: readonly WaitingEdit[];
  /** What hooks said before the user was asked. The call is not given to them again. Absent: none ran. */
  readonly hooks?: AnsweredHooks;
}

/** `arguments`: the call's own from now on, as JSON text; null: unchanged. `context`: text for the model. */
interface AnsweredHooks {
  readonly runs: readonly HookRun[];
  readonly asks: boolean;
  readonly arguments: string | null;
  readonly context: string;
}

/** Edit that waits after another one of the same answer. */
export interface WaitingEdit {
  readonly callId: string;
  readonly tool: string;
  readonly access: Access & { readonly kind: 'edit' };
  readonly subject: string;
  readonly preview: string;
}

/** True for an edit that Edit Automatically would allow: inside the open folders, and of no file that is always asked
 *  for. */
export function isPlainEdit({ access, reasons }: Pick<ApprovalRequest, 'access' | 'reasons'>): boolean {
  return access.kind === 'edit' && reasons.length > 0 && reasons.every((reason) => reason === 'change');
}

/** Reasons after which denying is the default. */
const riskyReasons: readonly AskReason[] = [
  'sensitive',
  'dotConfig',
  'repositoryInternals',
  'unparsed',
  'unconfined',
  'discards',
  'leftovers',
  'hook',
];

/** True when the request names a risk, or may hide one; the sandbox confines what a command may hide. Such a request is
 *  never allowed by a key from elsewhere. */
export function isRisky({ access, risks = [], reasons }: ApprovalRequest): boolean {
  const isInside = access.kind === 'run' && access.confined?.kind === 'inside';
  return (
    risks.length > 0 || reasons.some((reason) => riskyReasons.includes(reason) && !(isInside && reason === 'unparsed'))
  );
}

/** `rules`: as edited by the user. They apply to the session's conversation, this workspace, or everywhere. */
export type ApprovalDecision =
  | {
      readonly kind: 'allow';
      readonly scope: 'once';
      /** Mode of the session from now on, stored in the same transaction. For a plan, and for Allow All Edits. */
      readonly mode?: Mode;
      /** Also allows the request's `together`. */
      readonly together?: true;
      /** For the fields of a request for input. Goes to the server alone. */
      readonly answer?: InputAnswer;
    }
  | { readonly kind: 'allow'; readonly scope: 'session' | 'workspace' | 'user'; readonly rules: readonly string[] }
  /** `reason` goes to the model. */
  | { readonly kind: 'deny'; readonly reason: string | null };

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

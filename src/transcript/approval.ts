/** How freely the agent may change things in a session. ask: every change is asked for · auto: edits inside the open folders are made, and can
 *  be reverted · plan: nothing is changed until the person approves a plan. */
export const modes = ['ask', 'auto', 'plan'] as const;
export type Mode = (typeof modes)[number];

/** A path as the approval policy sees it. */
export interface AccessPath {
  /** Absolute, with every symbolic link on the way resolved, also where the file itself does not exist yet. */
  readonly path: string;
  /** As people read it: relative to the open folder where it lies in one. */
  readonly shown: string;
  /** Inside an open folder, after links were resolved. */
  readonly isInside: boolean;
}

export type ShellKind = 'posix' | 'powershell' | 'cmd';

/** Whether the sandbox confines a command. Missing: this machine has none, or it is switched off. inside: it may reach `hosts` ("registry.npmjs.org").
 *  outside: it is to run without, for the reason that the model gives. */
export type Confined =
  | { readonly kind: 'inside'; readonly hosts: readonly string[] }
  | { readonly kind: 'outside'; readonly reason: string };

/** What a tool call is about to do, in the classes that are decided differently. */
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
  /** `readOnly` as the server claims it, which is no promise. */
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string; readonly readOnly: boolean }
  /** A tool of another extension. */
  | { readonly kind: 'editorTool'; readonly name: string }
  /** Leaving Plan mode with the plan that is shown. */
  | { readonly kind: 'plan' };

/** Why something is asked, for the card. Worded once, in the surfaces. rules: a rule that denies something of its kind cannot be read. unconfined: the
 *  sandbox would not hold the command. discards: it may throw away work. */
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
  'plan',
  'rules',
  'unconfined',
  'discards',
] as const;
export type AskReason = (typeof askReasons)[number];

/** What the person is asked, as it is stored with the approval and drawn on its card. */
export interface ApprovalRequest {
  readonly tool: string;
  readonly access: Access;
  /** What is asked for, in one line: the command, the path, the address. */
  readonly subject: string;
  readonly reasons: readonly AskReason[];
  /** The rules that would allow it from now on ("run(npm test)"), one per part of a compound command. Empty: it can only be allowed once. */
  readonly rules: readonly string[];
  /** What would change, as a unified diff, or the plan as Markdown; null where there is nothing to show. */
  readonly preview: string | null;
}

/** `rules`: as the person left them; they hold for the session's conversation, this workspace, or everywhere. */
export type ApprovalDecision =
  | { readonly kind: 'allow'; readonly scope: 'once' }
  | { readonly kind: 'allow'; readonly scope: 'session' | 'workspace' | 'user'; readonly rules: readonly string[] }
  /** `reason` is told to the model. */
  | { readonly kind: 'deny'; readonly reason: string | null };

/** A question about one tool call. It is stored before it is shown, and its decision before the tool runs. expired: the turn ended first. */
export interface Approval {
  readonly id: string;
  readonly sessionId: string;
  readonly turnUid: string;
  /** The assistant row that holds the call. */
  readonly messageUid: string;
  readonly callId: string;
  readonly request: ApprovalRequest;
  /** Seconds since the epoch. */
  readonly requestedAt: number;
  /** Set while a sub-agent asks that runs now: what it is called, and the call it works on. Never stored. */
  readonly subAgent?: { readonly title: string; readonly turnUid: string; readonly callId: string };
  readonly state:
    | { readonly kind: 'pending' }
    | { readonly kind: 'decided'; readonly decision: ApprovalDecision; readonly decidedAt: number }
    | { readonly kind: 'expired' };
}

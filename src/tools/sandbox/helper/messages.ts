import type { Limits } from '../limits';

/** What the window asks of its helper, one answer each. */
export type HelperRequest =
  /** Starts it. Answered with what is missing on this machine, in words; nothing: it works. */
  | { readonly kind: 'start'; readonly tools: HelperTools }
  /** Makes the command line that runs a command inside. `id` is a secret of the window and the command; `hosts` may be reached. */
  | {
      readonly kind: 'wrap';
      readonly id: string;
      readonly shell: string;
      readonly command: string;
      readonly limits: Limits;
      readonly hosts: readonly string[];
    }
  /** Answered with what the sandbox has stopped so far, as the library words it. */
  | { readonly kind: 'stopped'; readonly id: string }
  /** The command has ended; answered with what the sandbox stopped, as the library words it. */
  | { readonly kind: 'ended'; readonly id: string };

/** What the library needs of this machine, by absolute paths: what is found by name may be the workspace's. */
export interface HelperTools {
  readonly ripgrep: string | null;
  /** Keeps sockets of this machine out of reach; Linux only. */
  readonly seccomp: string | null;
  /** The proxy through which this machine reaches others, where it needs one. */
  readonly proxy: { readonly http?: string; readonly https?: string; readonly noProxy?: string };
}

export interface HelperAnswers {
  readonly start: { readonly problems: readonly string[] };
  readonly wrap: { readonly program: string; readonly args: readonly string[] };
  readonly stopped: { readonly stopped: readonly string[] };
  readonly ended: { readonly stopped: readonly string[] };
}

/** `failure`: why it could not be done. */
export type HelperReply = { readonly number: number } & (
  { readonly answer: HelperAnswers[keyof HelperAnswers] } | { readonly failure: string }
);

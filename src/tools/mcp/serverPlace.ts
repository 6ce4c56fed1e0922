import type { SandboxState } from '../../transcript/sandboxState';

/** What the person decided for one exact definition, beside trusting it. */
export interface ServerDecision {
  /** Null: as the definition says, and where it does not, as is usual for where it is written down. */
  readonly choice: 'inside' | 'outside' | null;
  /** The person has seen that it runs without the sandbox, and trusted that. */
  readonly mayRunOutside: boolean;
  /** Hosts that the person added to those of the definition. */
  readonly hosts: readonly string[];
}

/** Why a server runs without the sandbox. chosen: the person wants it so. written: its definition says so. unwritten: it is the person's own, and its
 *  definition does not ask for the sandbox. off: the person wants no sandbox at all. */
export type OutsideReason =
  | { readonly kind: 'chosen' | 'written' | 'unwritten' | 'off' }
  | { readonly kind: 'missing'; readonly reason: string; readonly remedy: string };

export type ServerPlace =
  | { readonly kind: 'inside' }
  | { readonly kind: 'outside'; readonly reason: OutsideReason }
  /** It must not start; `sentence` says why and what can be done. */
  | { readonly kind: 'refused'; readonly sentence: string };

export interface PlaceNeeds {
  /** Written down in the person's settings, not in a folder. */
  readonly isOwn: boolean;
  /** What the definition says; null: nothing. */
  readonly isEnabled: boolean | null;
  readonly decision: ServerDecision;
  readonly sandbox: SandboxState;
  /** The setting lets nothing run without the sandbox. */
  readonly isRequired: boolean;
}

const manage = 'under Manage MCP Servers…';

/** Where a server that runs a program is started. Nothing that should be inside is started outside without the person having seen that it is. */
export function placeOf(needs: PlaceNeeds): ServerPlace {
  const { isOwn, isEnabled, decision, sandbox, isRequired } = needs;
  const written = isEnabled ?? !isOwn;
  const isWanted = decision.choice === null ? written : decision.choice === 'inside';
  const mustBeInside = isRequired && !isOwn;
  if (!isWanted) {
    if (mustBeInside)
      return refused(
        `Only servers in the sandbox may run here (hermes.terminal.sandbox), and ${decision.choice === null ? 'its definition says that this one runs without' : 'you chose that this one runs without'}. Choose Run in the Sandbox ${manage}`,
      );
    return {
      kind: 'outside',
      reason: { kind: decision.choice === 'outside' ? 'chosen' : isOwn ? 'unwritten' : 'written' },
    };
  }
  if (sandbox.kind === 'works') return { kind: 'inside' };
  const lack = lackWords(sandbox);
  if (mustBeInside) return refused(`Only servers in the sandbox may run here (hermes.terminal.sandbox), and ${lack}`);
  const instead = `Or choose Run Without the Sandbox ${manage}`;
  if (decision.choice === 'inside') return refused(`You chose to run it in the sandbox, and ${lack} ${instead}`);
  if (isOwn) return refused(`Its definition says that it runs in the sandbox, and ${lack} ${instead}`);
  if (!decision.mayRunOutside) return refused(`You trusted it to run in the sandbox, and ${lack} ${instead}`);
  return { kind: 'outside', reason: sandbox };
}

function lackWords(sandbox: Exclude<SandboxState, { kind: 'works' }>): string {
  return sandbox.kind === 'off'
    ? 'the sandbox is off (hermes.terminal.sandbox).'
    : `there is none: ${sandbox.reason}. ${sandbox.remedy}`;
}

function refused(sentence: string): ServerPlace {
  return { kind: 'refused', sentence };
}

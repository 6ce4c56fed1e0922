import { errorMessage } from '../../../base/errorMessage';
import type { AgentProfile } from './agentRegistry';
import { AgentSession } from './agentSession';
import type { AgentCommand } from './agentUpdate';
import type { HostedAgentsDeps } from './hostedAgent';
import { type KnownSession, readKnown, storeCommands, storeKnown } from './storedSession';

/** Milliseconds after which an idle agent is ended: it takes hundreds of megabytes. The next prompt starts it again. */
const idleMs = 15 * 60_000;

/** The agent sessions of a window: at most one living one per conversation, each in a process of its own. */
export class AgentSessions {
  private readonly alive = new Map<
    string,
    { readonly name: string; readonly session: AgentSession; cancelIdle: () => void }
  >();
  private readonly ending = new Set<Promise<void>>();

  constructor(private readonly deps: HostedAgentsDeps) {}

  make(profile: AgentProfile, conversationId: string): AgentSession {
    let commands: AgentSession['commands'] = null;
    return new AgentSession(profile, this.deps, (session) => {
      this.deps.onState?.(profile, session);
      if (session.commands === null || session.commands === commands) return;
      commands = session.commands;
      void this.offer(conversationId, profile.id, commands);
    });
  }

  /** `name`: of the user's entry. Two entries may be one agent, each with another account. */
  living(conversationId: string, name: string): AgentSession | null {
    const entry = this.alive.get(conversationId);
    if (entry === undefined || entry.name !== name || !entry.session.isAlive) return null;
    this.waitForIdle(conversationId);
    return entry.session;
  }

  keep(conversationId: string, name: string, session: AgentSession): void {
    this.alive.set(conversationId, { name, session, cancelIdle: () => undefined });
    this.waitForIdle(conversationId);
  }

  /** Ends the living session of a conversation, if there is one. */
  async drop(conversationId: string): Promise<void> {
    const entry = this.alive.get(conversationId);
    if (entry === undefined) return;
    this.alive.delete(conversationId);
    entry.cancelIdle();
    const end = entry.session.end().finally(() => this.ending.delete(end));
    this.ending.add(end);
    await end;
  }

  known(conversationId: string, agentId: string): Promise<KnownSession | null> {
    return readKnown(this.deps.store, conversationId, agentId);
  }

  /** Called before a prompt is sent: from then on the agent may know it. */
  async sent(conversationId: string, agentId: string, session: KnownSession): Promise<void> {
    await storeKnown(this.deps.store, conversationId, agentId, session);
    this.waitForIdle(conversationId);
  }

  /** Stores commands before they are offered. */
  private async offer(conversationId: string, agentId: string, commands: readonly AgentCommand[]): Promise<void> {
    const { store, log, onCommands } = this.deps;
    try {
      if (await storeCommands(store, conversationId, agentId, commands)) onCommands?.();
    } catch (error) {
      log.warn(`The commands of an agent were not stored: ${errorMessage(error)}`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...[...this.alive.keys()].map((id) => this.drop(id)), ...this.ending]);
  }

  closeNow(): void {
    for (const { session } of this.alive.values()) session.endNow();
  }

  private waitForIdle(conversationId: string): void {
    const entry = this.alive.get(conversationId);
    if (entry === undefined) return;
    entry.cancelIdle();
    entry.cancelIdle = this.deps.clock.after(idleMs, () => {
      if (entry.session.isPrompting) this.waitForIdle(conversationId);
      else void this.drop(conversationId);
    });
  }
}

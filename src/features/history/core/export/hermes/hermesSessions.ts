import type { Session, TitleSource } from '../../../../../transcript/session';
import type { ExportedSession } from '../../../../../transcript/readable/transcriptExport';
import type { Columns } from './hermesRow';

/** Hermes' words for who wrote a title. */
const titleSources: { readonly [S in TitleSource]: string } = { derived: 'derived', model: 'llm', person: 'user' };

interface Kept {
  readonly source: string;
  readonly marks: Readonly<Record<string, string>>;
}

/** Makes rows of `sessions`, parents before their children. Each segment is a session of its own, as when Hermes
 *  compresses into a new one: the parent ends with `compression`, and the child has no mark of its own. A branch names
 *  its origin in `_branched_from`, and a sub-agent its caller in `_delegate_from`. A continuation inherits the
 *  marks. */
export class HermesSessions {
  private readonly kept = new Map<string, Kept>();
  private readonly titles = new Set<string>();

  /** `sessions`: all that the file gets. A parent that is not among them is not named. */
  constructor(private readonly sessions: ReadonlyMap<string, Session>) {}

  rowOf({ session, messages }: ExportedSession): Columns {
    const { source, marks } = this.keep(session);
    const isContinued = this.isContinued(session.id);
    const active = messages.filter(({ visibility }) => visibility.kind !== 'hidden');
    const answers = active.flatMap((message) => (message.role === 'assistant' ? [message] : []));
    // Hermes demands different titles, and shows a conversation by its newest segment.
    const title = isContinued || session.title === null ? null : this.ownTitle(session.title);
    // A segment that ended without a continuation would be closed for ever.
    const hasEnded = isContinued || session.endReason !== 'compression';
    return {
      id: session.id,
      source,
      created_source: source,
      model: session.model ?? answers.findLast(({ model }) => model !== null)?.model ?? null,
      model_config: Object.keys(marks).length === 0 ? null : JSON.stringify(marks),
      parent_session_id: this.parentOf(session),
      started_at: session.startedAt,
      ended_at: hasEnded ? session.endedAt : null,
      end_reason: hasEnded ? session.endReason : null,
      message_count: active.length,
      tool_call_count: answers.reduce(
        (sum, { parts }) => sum + parts.filter(({ kind }) => kind === 'toolCall').length,
        0,
      ),
      cwd: session.folder,
      title,
      title_source: title === null || session.titleSource === null ? null : titleSources[session.titleSource],
      last_activity_at: session.lastActiveAt,
      archived: session.archived ? 1 : 0,
      pinned: session.pinned ? 1 : 0,
    };
  }

  private parentOf({ parentSessionId }: Session): string | null {
    return parentSessionId !== null && this.sessions.has(parentSessionId) ? parentSessionId : null;
  }

  private keep(session: Session): Kept {
    const parent = this.parentOf(session);
    const kept = keptOf(session, parent, parent === null ? undefined : this.kept.get(parent));
    this.kept.set(session.id, kept);
    return kept;
  }

  private isContinued(id: string): boolean {
    return [...this.sessions.values()].some(
      ({ parentSessionId, parentKind }) => parentSessionId === id && parentKind === 'compression',
    );
  }

  private ownTitle(title: string): string {
    let own = title;
    for (let number = 2; this.titles.has(own); number++) own = `${title} #${number}`;
    this.titles.add(own);
    return own;
  }
}

function keptOf({ parentKind }: Session, parent: string | null, inherited: Kept | undefined): Kept {
  const plain = { source: 'cli', marks: {} };
  if (parent === null) return plain;
  switch (parentKind) {
    case 'compression':
      return inherited ?? plain;
    case 'branch':
      return { source: 'cli', marks: { _branched_from: parent } };
    case 'delegate':
      return { source: 'subagent', marks: { _delegate_from: parent } };
    case null:
      return plain;
    default:
      return parentKind satisfies never;
  }
}

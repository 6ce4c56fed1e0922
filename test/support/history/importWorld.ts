import { HistoryImport } from '../../../src/features/history/core/import/historyImport';
import { targetOf } from '../../../src/features/history/core/import/fileCopy';
import type { HistoryFiles } from '../../../src/features/history/core/sources/reading/historyFiles';
import { NodeHistoryFiles } from '../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import type { OpenForeignDatabase } from '../../../src/features/history/core/sources/reading/foreignDatabase';
import type { Message } from '../../../src/transcript/message';
import { projectToWire } from '../../../src/transcript/wireProjection';
import { historyFaults, wireFaults, withoutHandoff } from '../providerRules';
import { sessionDbWorld, type SessionDbWorld } from '../sessionDbWorld';
import { openForeign } from './openForeign';

/** 2026-11-26T00:00:00Z: after the fixtures. */
export const importTime = 1_795_651_200;

export interface ImportWorld extends SessionDbWorld {
  readonly importer: HistoryImport;
}

/** A store, and an import into it. */
export async function importWorld(
  files: HistoryFiles = new NodeHistoryFiles(),
  open: OpenForeignDatabase = openForeign,
  given?: SessionDbWorld,
): Promise<ImportWorld> {
  const world = given ?? (await sessionDbWorld(undefined, { now: importTime }));
  const importer = new HistoryImport({
    files,
    openForeign: open,
    target: targetOf(world.db),
    now: () => world.clock.now,
  });
  return { ...world, importer };
}

/** All rows of a conversation as lines: place, role, parts; turns with their end. */
export function storedOutline({ db, database }: SessionDbWorld): readonly string[] {
  const sessions = database.all('SELECT * FROM sessions WHERE pending IS NULL ORDER BY started_at, id');
  const names = new Map(sessions.map(({ id }, index) => [String(id), `S${index + 1}`]));
  const named = (id: unknown): string => names.get(String(id)) ?? String(id);
  return sessions.flatMap((session) => {
    const id = String(session['id']);
    const rows = database.all('SELECT uid FROM messages WHERE session_id = ? ORDER BY position', [id]);
    const turns = database.all('SELECT * FROM turns WHERE session_id = ? ORDER BY id', [id]);
    const relation =
      session['parent_kind'] === null ? '' : ` ${session['parent_kind']} of ${named(session['parent_session_id'])}`;
    return [
      `${named(id)}${relation}: ${session['title']} in ${session['cwd']}, ${session['message_count']} messages, ${session['tool_call_count']} calls, ${session['turn_count']} turns${session['end_reason'] === null ? '' : `, ended by ${session['end_reason']}`}`,
      ...rows.map(({ uid }) => {
        const message = db.getMessage(String(uid));
        if (message === null) return 'missing';
        const { visibility, role, parts, carriedFrom } = message;
        const kind = visibility.kind === 'hidden' ? visibility.reason : visibility.kind;
        const carried = carriedFrom === null ? '' : ' (carried)';
        return `  ${kind} ${role}${carried}: ${JSON.stringify(parts.map((part) => brief(part))).slice(0, 300)}`;
      }),
      ...turns.map(({ outcome, stop_reason, model }) => `  turn ${outcome} (${stop_reason}) by ${model || '?'}`),
    ];
  });
}

function brief(part: { readonly kind: string }): unknown {
  if ('callId' in part) return { ...part, metadata: undefined };
  return 'text' in part ? part.text : part.kind;
}

/** Faults of the stored rows by the product's own check, and of what a model would get with a next prompt. */
export function soundness({ db, database }: SessionDbWorld) {
  const ids = database
    .all("SELECT id FROM sessions WHERE pending IS NULL AND end_reason IS NOT 'compression'")
    .map(({ id }) => String(id));
  return {
    problems: [...db.verifyIntegrity(), ...ids.flatMap((id) => db.checkSession(id))],
    refused: ids.flatMap((id) => {
      const rows = db.activeMessages(id);
      const faults = [
        ...(rows.length === 0 ? [] : historyFaults(withoutHandoff(rows))),
        ...wireFaults(projectToWire([...rows, nextPrompt(id)], 'Local/test')),
      ];
      return faults.map((fault) => `${id}: ${fault}`);
    }),
  };
}

export const sound = { problems: [], refused: [] };

function nextPrompt(sessionId: string): Message {
  const visibility = { kind: 'shown' } as const;
  const base = {
    uid: 'next',
    sessionId,
    turnUid: 'next',
    position: 2 ** 52,
    createdAt: 0,
    visibility,
    carriedFrom: null,
  };
  return { ...base, role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] };
}

import * as v from 'valibot';
import type { SharedTurns, TurnWishes, WatchedTurn } from '../turnSharing';
import { count, type PostgresConnection } from './postgresConnection';
import { currentPerson as me } from './schema';

const wishesRow = v.object({ watched: v.boolean(), stop_asked: v.boolean() });
const turnRow = v.object({
  name: v.string(),
  fence: count,
  alive: v.boolean(),
  stop_asked: v.boolean(),
  body: v.nullable(v.string()),
});

const own = `person = ${me} AND history = $1 AND conversation = $2`;
/** A server that lost its newest rows gives a fence a second time: the holder is compared too. */
const lease = `SELECT 1 FROM hermes_sync.conversations c
  WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2`;

/** Running turns in a table of PostgreSQL: a row for each conversation that somebody watches. */
export class PostgresTurns implements SharedTurns {
  constructor(
    private readonly connection: PostgresConnection,
    private readonly history: string,
    private readonly origin: string,
  ) {}

  async wishes(conversationId: string, fence: number): Promise<TurnWishes> {
    const [row] = await this.connection.all(
      wishesRow,
      `SELECT watched_until > now() AS watched, stop_asked FROM hermes_sync.turns WHERE ${own} AND fence = $3
         AND EXISTS (${lease} AND c.fence = $3 AND c.holder = $4)`,
      [this.history, conversationId, fence, this.origin],
    );
    return { isWatched: row?.watched ?? false, isStopAsked: row?.stop_asked ?? false };
  }

  async show(conversationId: string, fence: number, body: string): Promise<void> {
    await this.connection.change(
      `UPDATE hermes_sync.turns SET body = $4 WHERE ${own} AND fence = $3
         AND EXISTS (${lease} AND c.fence = $3 AND c.holder = $5)`,
      [this.history, conversationId, fence, body, this.origin],
    );
  }

  async end(conversationId: string, fence: number): Promise<void> {
    await this.connection.change(
      `DELETE FROM hermes_sync.turns t WHERE ${own} AND fence <= $3
         AND NOT EXISTS (${lease} AND c.fence = t.fence AND c.holder <> $4)`,
      [this.history, conversationId, fence, this.origin],
    );
  }

  async watch(conversationId: string): Promise<WatchedTurn | null> {
    const [turn] = await this.connection.all(
      turnRow,
      `SELECT m.name, c.fence, c.expires > now() AS alive, coalesce(t.stop_asked, false) AS stop_asked, t.body
       FROM hermes_sync.conversations c
       JOIN hermes_sync.machines m ON m.person = c.person AND m.history = c.history AND m.origin = c.holder
       LEFT JOIN hermes_sync.turns t
         ON t.person = c.person AND t.history = c.history AND t.conversation = c.conversation AND t.fence = c.fence
       WHERE c.person = ${me} AND c.history = $1 AND c.conversation = $2 AND c.holder <> $3`,
      [this.history, conversationId, this.origin],
    );
    if (turn === undefined) return null;
    if (turn.alive)
      await this.connection.change(
        `INSERT INTO hermes_sync.turns AS t (history, conversation, fence, watched_until)
         VALUES ($1, $2, $3, now() + interval '5 seconds')
         ON CONFLICT (person, history, conversation)
         DO UPDATE SET fence = excluded.fence, watched_until = excluded.watched_until,
           stop_asked = t.stop_asked
           AND t.fence = excluded.fence, body = CASE WHEN t.fence = excluded.fence THEN t.body END`,
        [this.history, conversationId, turn.fence],
      );
    const { name, fence, alive, stop_asked: isStopAsked, body } = turn;
    return { machine: name, fence, isAlive: alive, isStopAsked, body };
  }

  async askToStop(conversationId: string, fence: number): Promise<void> {
    await this.connection.change(`UPDATE hermes_sync.turns SET stop_asked = true WHERE ${own} AND fence = $3`, [
      this.history,
      conversationId,
      fence,
    ]);
  }
}

import { expect, test } from 'vitest';
import { chatFileSource } from '../../../../../../src/features/history/core/sources/chatFiles/chatFileSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { findHistory, fixtures, placesWith, outlineOf } from '../../../../../support/history/readHistory';

const source = chatFileSource(new NodeHistoryFiles());
const places = placesWith({ chosen: [`${fixtures}/chatFiles`] });

const sessionOf = (id: string): Promise<readonly string[]> => outlineOf(source, places, id);

test('finds conversations alone, in lists and one per line', async () => {
  const { sessions, skipped } = await findHistory(source, places);

  expect({
    sessions: sessions.map(({ id, source: format, title, model, startedAt, messageCount }) =>
      JSON.stringify({ id, format, title, model, startedAt, messageCount }),
    ),
    skipped: skipped.map(
      ({ place, kind, reason }) =>
        `${place.path.slice(fixtures.length)} ${place.unit} ${place.number}: ${kind}: ${reason}`,
    ),
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"id":"list.json#1","format":"shareGpt","title":"What is in fruit.txt?","model":"hermes-4","startedAt":1767323045,"messageCount":6}",
        "{"id":"list.json#2","format":"openai","title":null,"model":null,"startedAt":null,"messageCount":1}",
        "{"id":"messages.json#1","format":"openai","title":"What is in fruit.txt?","model":null,"startedAt":null,"messageCount":2}",
        "{"id":"chat-1","format":"openai","title":"Fruit","model":"gpt-4o","startedAt":1700000000,"messageCount":8}",
        "{"id":"trajectories.jsonl#1","format":"shareGpt","title":"What is in fruit.txt?","model":"hermes-4","startedAt":1767323045,"messageCount":6}",
        "{"id":"trajectories.jsonl#3","format":"openai","title":"What is in fruit.txt?","model":null,"startedAt":null,"messageCount":1}",
      ],
      "skipped": [
        "/chatFiles/list.json element 3: damaged: The element is cut off, too long or not an object.",
        "/chatFiles/trajectories.jsonl line 2: unknown: It holds no conversation.",
        "/chatFiles/trajectories.jsonl line 4: damaged: The record is cut off or is not a JSON object.",
      ],
    }
  `);
});

test('reads chat messages with a call, a result, thinking and an image', async () => {
  expect(await sessionOf('chat-1')).toMatchInlineSnapshot(`
    [
      "1 hidden system: Be brief.",
      "2 shown user: What is in fruit.txt? | (image image/png iVBORw0KGgo=)",
      "3 shown assistant: (thinks: The file first.) | calls read_file call_1 {"path":"fruit.txt"}",
      "4 shown tool: done read_file call_1: apples and pears",
      "5 shown assistant: Apples and pears.",
      "unknown at element 6: The role of the message is not known.",
      "damaged at element 7: The record is cut off or is not a JSON object.",
      "damaged at element 8: The message is empty.",
      "facts: {}",
      "in 8 = imported 5 + skipped 3, 5 messages",
    ]
  `);
});

test('reads the tags of a ShareGPT trajectory', async () => {
  expect(await sessionOf('trajectories.jsonl#1')).toMatchInlineSnapshot(`
    [
      "1 hidden system: You call tools.",
      "2 shown user: What is in fruit.txt?",
      "3 shown assistant: (thinks: The file first.) | I read it. | calls read_file call 1 {"path":"fruit.txt"} | calls list call 2 {}",
      "4 shown tool: done read_file call 1: apples and pears | done list call 2: {"files":1}",
      "5 shown assistant: Apples and pears.",
      "unknown at element 6: The role of the message is not known.",
      "facts: {}",
      "in 6 = imported 5 + skipped 1, 5 messages",
    ]
  `);
});

test('reads a list of messages as one conversation', async () => {
  expect(await sessionOf('messages.json#1')).toMatchInlineSnapshot(`
    [
      "1 hidden system: Be brief.",
      "2 shown user: What is in fruit.txt? | (image image/png iVBORw0KGgo=)",
      "facts: {}",
      "in 2 = imported 2 + skipped 0, 2 messages",
    ]
  `);
});

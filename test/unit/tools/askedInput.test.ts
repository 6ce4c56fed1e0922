import { describe, expect, it } from 'vitest';
import { answerServer, type InputRequest } from '../../../src/tools/askedInput';
import type { Access } from '../../../src/transcript/approval';
import type { InputAnswer } from '../../../src/transcript/approval';
import type { JsonObject } from '../../../src/transcript/json';

async function ask(asked: InputRequest, answer: InputAnswer = {}) {
  const [shown, opened, declined]: [[string, Access][], string[], string[]] = [[], [], []];
  const { signal } = new AbortController();
  const result = await answerServer(
    { server: 's', asked, signal },
    {
      ask: async (access, subject) => {
        shown.push([subject, access]);
        const request = { tool: 't', access, subject, reasons: [], rules: [], preview: null };
        const decision = { kind: 'allow', scope: 'once', answer } as const;
        const ids = { id: 'a', sessionId: 's', turnUid: 't', messageUid: 'm', callId: 'c' };
        return { ...ids, request, requestedAt: 0, state: { kind: 'decided', decision, decidedAt: 0 } };
      },
    },
    async (url) => void opened.push(url),
    (sentence) => declined.push(sentence),
  );
  return { result, shown, opened, declined };
}

const form = (field: JsonObject, name = 'value', message = 'Please'): InputRequest => ({
  kind: 'form',
  message,
  schema: { type: 'object', properties: { [name]: { type: 'string', ...field } } },
});

describe('a form that asks for a secret is declined unseen, and the user is told', () => {
  it.each([
    ['by its message', form({}, 'value', 'Your GitHub password')],
    ['by a description', form({ description: 'The API key of your account' })],
    ['by a title', form({ title: 'Personal access token' })],
    ['by a name', form({}, 'accessToken')],
    ['by a name with underscores', form({}, 'private_key')],
    ['in another language', form({ title: 'Ihr Passwort' })],
    ['as a code', form({ description: 'The one-time code from your phone' })],
  ])('%s', async (_how, asked) => {
    const { result, shown, declined } = await ask(asked);
    expect([result, shown, declined]).toEqual([
      { action: 'decline' },
      [],
      ['The server asked for a secret in a form. Hermes declined: secrets belong on a page of the server.'],
    ]);
  });

  it.each([form({}, 'max_tokens'), form({ title: 'Token limit' }), form({}, 'city', 'Which key signature?')])(
    'but not %o',
    async (asked) => {
      expect((await ask(asked)).declined).toEqual([]);
    },
  );
});

describe('sizes', () => {
  const long = 'x'.repeat(10_000);

  it('of what is shown are limited', async () => {
    const { shown } = await ask(form({ title: long, description: long, default: long }, 'value', long));
    const [[subject = '', access] = []] = shown;
    const field = access?.kind === 'input' && access.asked.kind === 'form' ? access.asked.fields[0] : undefined;
    expect([subject.length, field?.title.length, field?.description?.length, JSON.stringify(field).length]).toEqual([
      4001, 301, 4001, 8402,
    ]);
  });

  it('of what is sent back are limited, and a name or value that cannot be shortened is declined', async () => {
    const name = await ask(form({}, 'n'.repeat(301)));
    const value = await ask(form({ enum: [long] }));
    const { result } = await ask(form({}), { value: long });
    const sent = result.action === 'accept' ? result.content?.['value'] : null;
    expect([name.declined.length, value.declined.length, String(sent).length]).toEqual([1, 1, 4000]);
  });
});

describe('a page', () => {
  it('is stored, shown and opened as one address', async () => {
    const { shown, opened } = await ask({ kind: 'url', message: 'Visit', url: 'https://gіthub.com/?a=%26' });
    const url = 'https://xn--gthub-n2e.com/?a=%26';
    expect([shown[0]?.[1], opened]).toEqual([{ kind: 'input', server: 's', asked: { kind: 'url', url } }, [url]]);
  });

  it('that hides its host is declined', async () => {
    const { shown, declined } = await ask({ kind: 'url', message: 'Visit', url: 'https://github.com@evil.example' });
    expect([shown, declined.length]).toEqual([[], 1]);
  });
});

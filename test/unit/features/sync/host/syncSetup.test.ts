import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { SyncSetupDeps } from '../../../../../src/features/sync/host/syncSetup';
import type { SealedBody } from '../../../../../src/features/sync/core/postgres/postgresServer';
import { SyncFailure } from '../../../../../src/features/sync/core/syncFailure';

const asked = vi.hoisted(() => ({
  inputs: [] as (string | undefined)[],
  picks: [] as (string | undefined)[],
  messages: [] as (string | undefined)[],
  errors: [] as (string | undefined)[],
  seen: [] as string[],
  clipboard: '',
}));
vi.mock('vscode', () => ({
  ProgressLocation: { Notification: 15 },
  env: { clipboard: { writeText: async (text: string) => void (asked.clipboard = text) } },
  window: {
    showInputBox: async ({ prompt, value, validateInput }: Record<string, unknown>) => {
      asked.seen.push(`${String(prompt)} [${String(value)}]`);
      const text = asked.inputs.shift();
      const problem =
        typeof validateInput === 'function' && text !== undefined ? (validateInput(text) as unknown) : null;
      if (problem !== null) throw new Error(String(problem));
      return text;
    },
    showQuickPick: async (items: readonly { readonly label: string }[]) => {
      const label = asked.picks.shift();
      return items.find((item) => item.label === label);
    },
    showInformationMessage: async (question: string, options: { readonly detail: string }) => {
      asked.seen.push(`${question} / ${options.detail.replaceAll('\n\n', ' / ')}`);
      return asked.messages.shift();
    },
    showErrorMessage: async (sentence: string, _options: unknown, ...buttons: readonly string[]) => {
      asked.seen.push(`${sentence} [${buttons.join(', ')}]`);
      return asked.errors.shift();
    },
    withProgress: (_options: unknown, work: () => Promise<unknown>) => work(),
  },
}));
const { createCipher, openCipher } = await import('../../../../../src/features/sync/core/encryption/cipherDescription');
const { Cipher } = await import('../../../../../src/features/sync/core/encryption/cipher');
const { namedHistory } = await import('../../../../../src/features/sync/host/syncMemory');
const { recoveryKey } = await import('../../../../../src/features/sync/core/encryption/recoveryKey');
const { SyncSetup } = await import('../../../../../src/features/sync/host/syncSetup');

beforeEach(() => {
  for (const list of [asked.inputs, asked.picks, asked.messages, asked.errors, asked.seen]) list.length = 0;
  asked.clipboard = '';
});

const text = 'postgres://me:secret@db.example/d';

function setup(change: Partial<SyncSetupDeps> = {}) {
  const named: string[] = [];
  const made = new SyncSetup({
    memory: {
      machine: 'host-1',
      nameMachine: async (name: string) => void named.push(name),
      sealDescription: async () => null,
    },
    open: () => ({
      prepare: async () => undefined,
      overview: async () => ({ conversations: 2, documents: 9, bytes: 4000, machines: [] }),
      sealDescription: async () => null,
      sealedBody: async () => null,
      dispose: async () => undefined,
    }),
    store: {
      listSessions: async () => [],
      storeSizes: async () => ({
        sessions: [{ sessionId: 's1', title: 'A', messages: 4, textBytes: 900, imageBytes: 100 }],
        fileContentBytes: 0,
        searchIndexBytes: 0,
        freeBytes: 0,
        fileBytes: 0,
      }),
    },
    repository: async () => null,
    folderName: () => 'Parcels',
    ...change,
  });
  return { made, named };
}

describe('setting up sync', () => {
  it('asks for the server, what belongs together and the name of the machine, and says what will travel', async () => {
    asked.inputs.push(text, 'Parcels', ' Desk ');
    asked.messages.push('Start Sync');
    const { made, named } = setup();
    const chosen = await made.ask(null);
    expect([chosen?.history.name, chosen?.text, named]).toEqual(['Parcels', text, ['Desk']]);
    expect(asked.seen.at(-1)).toBe(
      'Share the sessions of “Parcels” through db.example/d? / To send: 1 kB (sessions: 1, messages: ' +
        '4). Private sessions stay here. / To receive: 4 kB (sessions: 2). / Later messages are sent ' +
        'when their turn has ended. Whoever runs the server can read them.',
    );
    expect(asked.seen.join()).not.toContain('me:secret');
  });

  it('offers the clones of a repository, or another name', async () => {
    const repository = async () => ({ key: 'git:1', name: 'owner/parcels' });
    asked.inputs.push(text, 'Desk');
    asked.picks.push('All clones of owner/parcels');
    asked.messages.push('Start Sync');
    expect((await setup({ repository }).made.ask(text))?.history.key).toBe('git:1');
    asked.inputs.push(text, 'Other', 'Desk');
    asked.picks.push('Another Name…');
    asked.messages.push('Start Sync');
    expect((await setup({ repository }).made.ask(text))?.history.key).toMatch(/^name:/);
  });

  it('asks again for a server that cannot be used, and copies the statements for an administrator', async () => {
    let tries = 0;
    const { made } = setup({
      open: () => ({
        prepare: async () => {
          if (++tries === 1) throw new SyncFailure('noRight', 'No right.', 'x', 'CREATE SCHEMA');
        },
        overview: async () => ({ conversations: 0, documents: 9, bytes: 0, machines: [] }),
        sealDescription: async () => null,
        sealedBody: async () => null,
        dispose: async () => undefined,
      }),
    });
    asked.inputs.push(text, text, 'Parcels', 'Desk');
    asked.errors.push('Copy SQL');
    asked.messages.push('Start Sync');
    expect((await made.ask(null))?.text).toBe(text);
    expect([asked.clipboard, asked.seen.includes('No right. [Copy SQL, Try Again]')]).toEqual(['CREATE SCHEMA', true]);
  });

  describe('of a history that may be encrypted', () => {
    const serverWith = (
      description: string | null,
      documents = 0,
      sample: SealedBody | null = null,
    ): Partial<SyncSetupDeps> => ({
      open: () => ({
        prepare: async () => undefined,
        overview: async () => ({ conversations: 0, documents, bytes: 0, machines: [] }),
        sealDescription: async () => description,
        sealedBody: async () => sample,
        dispose: async () => undefined,
      }),
    });
    const cheap = { n: 2 ** 10, r: 8, p: 1 };

    it('offers encryption while nobody has begun it, with a passphrase that is typed twice', async () => {
      asked.inputs.push(text, 'Parcels', 'correct horse battery', 'correct horse battery', 'Desk');
      asked.picks.push('Encrypt with a passphrase');
      asked.messages.push('Start Sync');
      const chosen = await setup(serverWith(null)).made.ask(null);
      expect([chosen?.cipher.key?.length, chosen?.cipher.description?.includes('scrypt')]).toEqual([32, true]);
      expect(asked.seen.at(-1)).toContain('The server holds them encrypted.');
      expect(chosen?.cipher.description).not.toContain('horse');
    });

    it('refuses a short passphrase, and one that was typed differently', async () => {
      asked.inputs.push(text, 'Parcels', 'short');
      asked.picks.push('Encrypt with a passphrase');
      await expect(setup(serverWith(null)).made.ask(null)).rejects.toThrow('Enter at least 12 characters.');
      asked.inputs.push(text, 'Parcels', 'correct horse battery', 'correct horse');
      asked.picks.push('Encrypt with a passphrase');
      await expect(setup(serverWith(null)).made.ask(null)).rejects.toThrow('The passphrases differ.');
    });

    it('leaves a history plain that others began so', async () => {
      asked.inputs.push(text, 'Parcels', 'Desk');
      asked.messages.push('Start Sync');
      expect((await setup(serverWith(null, 3)).made.ask(null))?.cipher).toEqual({ key: null, description: null });
    });

    it('asks for the passphrase of an encrypted one until it fits, or takes the recovery key', async () => {
      const { description, key } = await createCipher('correct horse battery', cheap);
      asked.inputs.push(text, 'Parcels', 'wrong', 'correct horse battery', 'Desk');
      asked.messages.push('Start Sync');
      const byPassphrase = await setup(serverWith(description)).made.ask(null);
      expect(asked.seen.join()).toContain('This passphrase does not open the history');
      asked.inputs.push(text, 'Parcels', recoveryKey(key).toLowerCase(), 'Desk');
      asked.messages.push('Start Sync');
      const byKey = await setup(serverWith(description)).made.ask(null);
      expect([byPassphrase?.cipher, byKey?.cipher]).toEqual([
        { key, description: null },
        { key, description: null },
      ]);
    });
  });

  describe('of an encrypted history whose server lost the description of the key', () => {
    const place = { conversationId: 's1', document: 'turn/t1', version: 1 };
    const passphrase = 'correct horse battery';
    async function lost(change: Partial<SyncSetupDeps> = {}) {
      const { description, key } = await createCipher(passphrase, { n: 2 ** 10, r: 8, p: 1 });
      const body = await new Cipher(key, namedHistory('Parcels').key).encrypt('{}', place);
      const { made } = setup({
        open: () => ({
          prepare: async () => undefined,
          overview: async () => ({ conversations: 0, documents: 3, bytes: 0, machines: [] }),
          sealDescription: async () => null,
          sealedBody: async () => ({ ...place, body }),
          dispose: async () => undefined,
        }),
        ...change,
      });
      return { made, key, description };
    }

    it('asks for the recovery key until it opens what is there, and for a new passphrase', async () => {
      const { made, key } = await lost();
      const other = new Uint8Array(32).fill(9);
      asked.inputs.push(text, 'Parcels', recoveryKey(other), recoveryKey(key), passphrase, passphrase, 'Desk');
      asked.messages.push('Start Sync');
      const chosen = await made.ask(null);
      expect(asked.seen.join()).toContain('This recovery key does not open the history');
      expect(chosen?.cipher.key).toEqual(key);
      expect(await openCipher(chosen?.cipher.description ?? '', passphrase)).toEqual(key);
    });

    it('takes the passphrase on a machine that kept the description', async () => {
      const { description, key } = await lost();
      const { made } = await lost({
        memory: { machine: 'host-1', nameMachine: async () => undefined, sealDescription: async () => description },
      });
      asked.inputs.push(text, 'Parcels', passphrase, 'Desk');
      asked.messages.push('Start Sync');
      expect((await made.ask(null))?.cipher).toEqual({ key, description: null });
    });
  });

  it('refuses what is no connection string while it is typed', async () => {
    asked.inputs.push('db.example');
    await expect(setup().made.ask(null)).rejects.toThrow('Write postgres://');
  });

  it.each([
    [[undefined], []],
    [[text, undefined], []],
    [[text, 'Parcels', undefined], []],
    [[text, 'Parcels', 'Desk'], [undefined]],
  ])('changes nothing when it is canceled (%#)', async (inputs, messages) => {
    asked.inputs.push(...inputs);
    asked.messages.push(...messages);
    const { made, named } = setup();
    expect([await made.ask(null), named]).toEqual([null, []]);
  });
});

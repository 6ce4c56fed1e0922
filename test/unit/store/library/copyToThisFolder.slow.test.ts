import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerText } from '../../../../src/transcript/message';
import { answered, outboxEntry, refusal } from '../../../support/sessionDbWorld';
import { converse, label, libraryWorld, type LibraryWorld, type OwnedStore } from './libraryWorld';

let world: LibraryWorld;
let here: OwnedStore;
const there = (): string => world.folderOf('a'.repeat(32));
beforeEach(async () => {
  world = await libraryWorld();
  here = world.open(world.places.own);
  label(here.store, { path: '/home/me/here' });
});
afterEach(() => {
  here.close();
  world.remove();
});

function fill(): void {
  const { store, close } = world.open(there());
  label(store, { path: '/home/me/there' });
  converse(store, 'root', 'The original answer', 10);
  store.branchSession({ sessionId: 'root', upTo: null, childId: 'branch', now: 20 });
  converse(store, 'trashed', 'Thrown away', 30);
  store.trashSession('trashed', 31);
  for (const id of ['root', 'branch']) {
    store.setDraft(id, `draft of ${id}`);
    store.enqueue({ uid: `q-${id}`, sessionId: id, text: 'Next', createdAt: 40 });
    store.outboxAdd(outboxEntry(`o-${id}`, id));
    store.setMeta(`cursor/${id}`, '7');
  }
  close();
}

function bring(conversationOf: string | null, moves: boolean) {
  const copy = world.library.takeCopy(there(), conversationOf);
  const brought = here.store.copyToThisFolder({ folder: copy.folder, sessionIds: copy.sessionIds, moves });
  world.library.removeCopy(copy.folder);
  return brought;
}

const told = () => {
  const { store } = here;
  return {
    active: store
      .listSessions({ limit: 9 })
      .map(({ id, branchOf, queuedCount }) => [id, branchOf?.sessionId ?? null, queuedCount])
      .sort(),
    trash: store.listSessions({ limit: 9, state: 'trash' }).map(({ id }) => id),
    drafts: ['root', 'branch'].map((id) => store.draft(id)),
    outbox: store.outboxDue('p', 9, 9).map(({ uid }) => uid),
    cursor: store.getMeta('cursor/root'),
    hits: [...new Set(store.search({ text: 'original', limit: 9 }).map(({ sessionId }) => sessionId))],
    problems: store.verifyIntegrity(),
    folder: store.getMeta('folder'),
  };
};

describe('bringing over sessions of another folder', () => {
  it('brings over a moved folder completely, with trash, drafts, queues and pending memory; repeating changes nothing', () => {
    fill();
    const folder = here.store.getMeta('folder');
    const first = bring(null, true);
    const once = told();
    const second = bring(null, true);
    expect({ first, once, second, twice: told() }).toEqual({
      first: { sessions: 3, messages: 6, skipped: 0 },
      once: {
        active: [
          ['branch', 'root', 1],
          ['root', null, 1],
        ],
        trash: ['trashed'],
        drafts: ['draft of root', 'draft of branch'],
        outbox: ['o-root', 'o-branch'],
        cursor: '7',
        hits: ['root'],
        problems: [],
        folder,
      },
      second: { sessions: 0, messages: 0, skipped: 0 },
      twice: once,
    });
  });

  it("brings over one session with its content, not the other folder's pending work; a copy without its original is found", () => {
    fill();
    bring('branch', false);
    expect(told()).toMatchObject({
      active: [['branch', null, 0]],
      trash: [],
      drafts: ['', 'draft of branch'],
      outbox: [],
      cursor: null,
      hits: ['branch'],
      problems: [],
    });
  });

  it('is all or nothing, and refused where there is no store', () => {
    expect(refusal(() => here.store.copyToThisFolder({ folder: there(), sessionIds: ['root'], moves: true }))).not.toBe(
      'none',
    );
    expect(told().active).toEqual([]);
  });

  it('continues a session that is here with what was added there since, as recent as there', () => {
    fill();
    bring(null, true);
    const { store, close } = world.open(there());
    answered(store, 't-later', 'Added there', { sessionId: 'root', at: 70 });
    close();
    const before = here.store.listSessions({ limit: 9 })[0]?.id;
    bring(null, true);
    const [first] = here.store.listSessions({ limit: 9 });
    const { messages } = here.store.readTranscript({ sessionId: 'root', limit: 9 });
    expect({
      before,
      first: first?.id,
      texts: messages.filter(({ role }) => role === 'assistant').map((message) => answerText(message.parts)),
    }).toEqual({ before: 'branch', first: 'root', texts: ['The original answer', 'Added there'] });
  });
});

// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { prompt, runningTurn, session, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, nameOf, names } from '../../elements';

let page: ChatPage;

const question = prompt({ uid: 'u1', position: 1 }, 'the last prompt');
const idle = shownSession({ messages: [question], turns: [settledTurn()] });
const busy = shownSession({ messages: [question], openTurn: runningTurn() });

async function open(shown: typeof idle | null, memory: ConstructorParameters<typeof ChatPage>[0] = {}): Promise<void> {
  page = await openChat(shown, {}, memory);
  page.composer.focus();
}

describe('the composer', () => {
  test('keeps the prompt when the new session was made but the prompt was refused', async () => {
    await open(null);
    await page.type('Do it');
    await page.key('Enter');
    await page.tell('shown', shownSession());
    await page.refuse('submit', 'No.');
    expect([page.composer.value, page.sent('saveDraft').at(-1)]).toEqual([
      'Do it',
      { key: session().id, text: 'Do it' },
    ]);
  });

  test.each([
    ['Enter while an input method composes', { isComposing: true }],
    ['Enter that an input method handles', { keyCode: 229 }],
    ['Shift+Enter', { shiftKey: true }],
  ])('does not send at %s', async (_name, init) => {
    await open(idle);
    await page.type('かな');
    await page.key('Enter', init);
    expect([page.submitted(), page.composer.value]).toEqual([[], 'かな']);
  });

  test('sends nothing for spaces', async () => {
    await open(idle);
    await page.type('  \n ');
    await page.key('Enter');
    expect(page.submitted()).toEqual([]);
  });

  test('has Send while no turn runs, Stop while a turn runs, and Queue as soon as something is typed then', async () => {
    const buttons = (): readonly string[] => names('button').filter((name) => ['Send', 'Queue', 'Stop'].includes(name));
    await open(idle);
    const quiet = buttons();
    await page.event({
      kind: 'turnOpened',
      turn: runningTurn('turn2', 'u2'),
      userMessage: prompt({ uid: 'u2', position: 9, turnUid: 'turn2' }, 'x'),
    });
    const running = buttons();
    await page.type('And also');
    expect([quiet, running, buttons()]).toEqual([['Send'], ['Stop'], ['Stop', 'Queue']]);
  });

  test('has no Stop for a turn that another window runs', async () => {
    const store = { kind: 'elsewhere', readable: true, sentence: 'Open in another window.', actions: [] } as const;
    page = await openChat(busy, { store });
    expect(names('button').filter((name) => ['Send', 'Stop'].includes(name))).toEqual(['Send']);
  });

  test('stops with Escape and keeps the focus', async () => {
    await open(busy);
    await page.key('Escape');
    expect([page.sent('stop'), document.activeElement === page.composer]).toEqual([
      [{ sessionId: session().id, turnUid: 'turn1' }],
      true,
    ]);
  });

  test('closes a refusal with Escape before it stops anything', async () => {
    await open(busy);
    await page.type('more');
    await page.key('Enter');
    await page.refuse('submit', 'No.');
    await page.key('Escape');
    expect([names('alert'), page.sent('stop')]).toEqual([[], []]);
  });

  test('gives the host the draft after a pause, and at once when the user leaves it', async () => {
    await open(idle);
    await page.type('half a');
    await page.clock.advance(299);
    const early = page.sent('saveDraft');
    await page.clock.advance(1);
    await page.type('half a thought');
    page.composer.blur();
    expect([early, page.sent('saveDraft')]).toEqual([
      [],
      [
        { key: session().id, text: 'half a' },
        { key: session().id, text: 'half a thought' },
      ],
    ]);
  });

  test('puts a suggested or inserted text next to the current content', async () => {
    await open(idle);
    await page.type('Look at this:');
    await page.tell('insertPrompt', { text: 'src/a.ts' });
    expect(page.composer.value).toBe('Look at this:\nsrc/a.ts');
  });
});

describe('while a turn runs', () => {
  test('Enter follows the setting for a prompt; the Queue button shows it', async () => {
    await open(busy);
    await page.type('by Enter');
    await page.key('Enter');
    await page.answer('submit', { kind: 'queued', sessionId: session().id });
    await page.type('by button');
    await page.press('Queue');
    expect(page.submitted()).toEqual([
      { sessionId: session().id, uid: 'uid1', text: 'by Enter' },
      { sessionId: session().id, uid: 'uid2', text: 'by button', busy: 'queue' },
    ]);
  });

  test.each(['queue', 'steer'] as const)(
    '/%s applies it to one text, which leaves the composer when it is on disk',
    async (name) => {
      await open(busy);
      await page.type(`/${name} only the title`);
      await page.key('Enter');
      const waiting = page.composer.value;
      await page.answer('submit', { kind: 'queued', sessionId: session().id });
      expect([page.submitted(), waiting, page.composer.value]).toEqual([
        [{ sessionId: session().id, uid: 'uid1', text: 'only the title', busy: name }],
        `/${name} only the title`,
        '',
      ]);
    },
  );
});

describe('a command', () => {
  const run = async (typed: string): Promise<void> => {
    await page.type(typed);
    await page.key('Enter');
  };

  test.each([
    ['/stop', busy, 'stop', { sessionId: session().id, turnUid: 'turn1' }],
    ['/new', idle, 'switchSession', { target: { reason: 'new_session' } }],
    ['/reset', idle, 'switchSession', { target: { reason: 'reset' } }],
    [
      '/branch Other way',
      idle,
      'switchSession',
      { target: { reason: 'branch', sessionId: session().id, from: null, title: 'Other way' } },
    ],
    ['/undo 2', idle, 'switchSession', { target: { reason: 'rewind', sessionId: session().id, turns: 2 } }],
    ['/search', idle, 'featureCommand', { command: 'searchSessions', argument: '' }],
    ['/search the timer', idle, 'featureCommand', { command: 'searchSessions', argument: 'the timer' }],
    ['/memory', idle, 'featureCommand', { command: 'openMemory' }],
    ['/export', idle, 'featureCommand', { command: 'exportSession', argument: { sessionId: session().id } }],
    ['/retry', idle, 'retry', { turnUid: 'turn1' }],
    ['/title Better', idle, 'rename', { sessionId: session().id, title: 'Better' }],
  ])('%s is carried out and sends no prompt', async (typed, shown, name, payload) => {
    await open(shown);
    await run(typed);
    if (name === 'rename') await page.answer('rename', null);
    expect([page.sent(name), page.submitted(), page.composer.value]).toEqual([[payload], [], '']);
  });

  test('/model opens the models', async () => {
    await open(idle);
    await run('/model');
    expect([names('dialog'), page.composer.value]).toEqual([['Choose a Model'], '']);
  });

  test.each([
    [
      '/redo',
      '/redo is not a command. Nothing was sent. Type a space before / to send this as text. Commands: ' +
        '/new /reset /resume /branch /undo /retry /compress /title /search /model /memory /queue /steer /' +
        'stop /export /help.',
    ],
    ['/queue', '/queue needs text after it.'],
    ['/new idea', '/new takes no text. Nothing was sent. Type a space before / to send this as text.'],
  ])('%s is refused with words and stays in the composer', async (typed, sentence) => {
    await open(idle);
    await page.type(typed);
    await page.key('Escape');
    await page.key('Enter');
    expect([names('alert'), page.composer.value, page.submitted(), page.sent('switchSession')]).toEqual([
      [sentence],
      typed,
      [],
      [],
    ]);
  });
});

describe('the list of commands', () => {
  const list = () => ({
    options: all('option').map((option) => [option.id, option.getAttribute('aria-selected')]),
    controls: page.composer.getAttribute('aria-controls'),
    active: page.composer.getAttribute('aria-activedescendant'),
  });

  test('opens at "/", follows the typed text, and is moved through with the arrows', async () => {
    await open(idle);
    const before = list();
    await page.type('/st');
    const typed = list();
    await page.key('ArrowDown');
    const moved = list();
    await page.key('ArrowDown');
    expect({ before, typed, moved, around: list().active, named: names('listbox') }).toEqual({
      before: { options: [], controls: null, active: null },
      typed: {
        options: [
          ['command-steer', 'true'],
          ['command-stop', 'false'],
        ],
        controls: 'command-list',
        active: 'command-steer',
      },
      moved: {
        options: [
          ['command-steer', 'false'],
          ['command-stop', 'true'],
        ],
        controls: 'command-list',
        active: 'command-stop',
      },
      around: 'command-steer',
      named: ['Commands'],
    });
  });

  test.each(['Enter', 'Tab'])('%s completes the active one and keeps the focus; nothing is sent', async (key) => {
    await open(idle);
    await page.type('/st');
    const pressed = await page.key(key);
    expect([
      page.composer.value,
      list().options,
      pressed.defaultPrevented,
      document.activeElement === page.composer,
      page.submitted(),
    ]).toEqual(['/steer ', [], true, true, []]);
  });

  test('a click completes too', async () => {
    await open(idle);
    await page.type('/');
    const option = all('option').find(({ id }) => id === 'command-queue');
    await page.click(option ?? document.body);
    expect(page.composer.value).toBe('/queue ');
  });

  test('Escape closes it and only then stops', async () => {
    await open(busy);
    await page.type('/st');
    await page.key('Escape');
    const closed = [list().options, page.sent('stop')];
    await page.key('Escape');
    expect([closed, page.sent('stop').length, page.composer.value]).toEqual([[[], []], 1, '/st']);
  });

  test('stays closed for an input method and for an earlier draft', async () => {
    await open({ ...idle, draft: '/st' });
    const drafted = list().options;
    await page.type('/sto');
    await page.key('Enter', { isComposing: true });
    expect([drafted, page.composer.value]).toEqual([[], '/sto']);
  });
});

describe('the queue', () => {
  test('is a list whose prompts can be edited, removed and sent next', async () => {
    const queued = (uid: string, text: string) => ({ uid, sessionId: session().id, text, createdAt: 1 });
    await open({ ...busy, queue: [queued('q1', 'first'), queued('q2', 'second')] });
    await page.press('Send Next');
    const remove = all('button').filter((button) => nameOf(button) === 'Remove')[0];
    if (remove === undefined) throw new Error('no Remove');
    await page.click(remove);
    expect([names('list'), page.sent('promoteQueued'), page.sent('removeQueued')]).toEqual([
      ['Queued messages'],
      [{ uid: 'q2' }],
      [{ uid: 'q1' }],
    ]);
  });

  test('names what the running answer gets with its next step, until it ends', async () => {
    const steered = { uid: 'q1', sessionId: session().id, text: 'use tabs', createdAt: 1, isNextStep: true } as const;
    const rowWhile = async (state: typeof busy | typeof idle): Promise<string | undefined> => {
      await open({ ...state, queue: [steered] });
      return document.querySelector('.queue-item')?.textContent;
    };
    expect([await rowWhile(busy), await rowWhile(idle)]).toEqual(['Next stepuse tabs', '1use tabs']);
  });

  test('waits for the user while no turn runs: each prompt, the first too, can be sent now', async () => {
    await open({ ...idle, queue: [{ uid: 'q1', sessionId: session().id, text: 'first', createdAt: 1 }] });
    const title = document.querySelector('#queue-title')?.textContent;
    await page.press('Send Now');
    expect([title, page.sent('promoteQueued')]).toEqual(['1 queued, paused', [{ uid: 'q1' }]]);
  });
});

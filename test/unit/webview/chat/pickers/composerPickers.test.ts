// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { ChatState, ModelRow } from '../../../../../src/protocol/chatProtocol';
import { offeredEfforts } from '../../../../../src/webview/chat/pickers/SessionPickers';
import { movedIn, typedAhead } from '../../../../../src/webview/chat/common/listMoves';
import {
  modelRow,
  prompt,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, nameOf, names } from '../../elements';

let page: ChatPage;

const efforts = ['default', 'none', 'low', 'medium', 'high'] as const;
const thinks = (change: Partial<ModelRow> = {}): Pick<ChatState, 'model'> => ({
  model: { chosen: modelRow({ efforts, ...change }), problem: null },
});
const idle = shownSession({ messages: [prompt({ uid: 'u1', position: 1 }, 'hi')], turns: [settledTurn()] });
const shown = (): string => find('combobox', 'Effort').textContent ?? '';

async function open(change: Partial<ChatState> = thinks(), bootstrap = idle): Promise<void> {
  page = await openChat(bootstrap, change);
}
const effortIs = (effort: (typeof efforts)[number], sessionId: string | null = session().id): Promise<void> =>
  page.tell('effort', { sessionId, effort });

describe('the custom agent', () => {
  const planner = {
    name: 'planner',
    description: 'Plans',
    missingTools: ['jira'],
    missingModel: 'Model not available: Local does not list gpt-5.',
    handoffs: [
      { label: 'Do It', agent: null, prompt: 'Implement it.', send: true },
      { label: 'Review', agent: 'reviewer', prompt: 'Look at it.', send: false },
    ],
  } as const;
  const reviewer = {
    name: 'reviewer',
    description: 'Reviews',
    missingTools: [],
    missingModel: null,
    handoffs: [],
  } as const;
  const agentIs = (chosen: string | null, sessionId: string | null = session().id): Promise<void> =>
    page.tell('agents', { sessionId, chosen, offered: [planner, reviewer] });

  test('is offered where a file describes one, names tools that are not there, and belongs to its session', async () => {
    await open();
    const none = names('combobox').includes('Custom Agent');
    await agentIs(null);
    find('combobox', 'Custom Agent').click();
    await page.settle();
    const options = all('option').map((option) => option.textContent);
    all('option')[1]?.click();
    await page.settle();
    const asked = page.sent('setAgent');
    await page.answer('setAgent', null);
    await agentIs('planner');
    const chosen = find('combobox', 'Custom Agent').textContent;
    await page.tell('shown', shownSession({ session: session({ id: 'other', conversationId: 'other' }) }));
    expect({ none, options, asked, chosen, other: find('combobox', 'Custom Agent').textContent }).toEqual({
      none: false,
      options: [
        'HermesselectedThe usual agent.',
        'plannerPlans (not available: jira) Model not available: Local does not list gpt-5.',
        'reviewerReviews',
      ],
      asked: [{ sessionId: session().id, agent: 'planner' }],
      chosen: 'planner',
      other: 'Hermes',
    });
  });

  test('that is chosen and has no file any more is still named', async () => {
    await open();
    await page.tell('agents', { sessionId: session().id, chosen: 'gone', offered: [] });
    expect([find('combobox', 'Custom Agent').textContent, find('combobox', 'Custom Agent').title]).toEqual([
      'gone',
      'gone: Its file is not there: the usual agent answers.',
    ]);
  });

  test('hands over after its answer: to another agent, with a prompt that is sent or left to edit', async () => {
    await open();
    await agentIs('planner');
    const buttons = all('button')
      .map(nameOf)
      .filter((name) => ['Do It', 'Review'].includes(name));
    find('button', 'Review').click();
    await page.settle();
    await page.answer('setAgent', null);
    const edited = { text: page.composer.value, sent: page.sent('submit') };
    await page.type('');
    find('button', 'Do It').click();
    await page.settle();
    await page.answer('setAgent', null);
    expect({ buttons, edited, agents: page.sent('setAgent'), sent: page.sent('submit') }).toMatchObject({
      buttons: ['Do It', 'Review'],
      edited: { text: 'Look at it.', sent: [] },
      agents: [{ agent: 'reviewer' }, { agent: null }],
      sent: [{ sessionId: session().id, text: 'Implement it.' }],
    });
  });

  test('hands over once, however often the button is pressed', async () => {
    await open();
    await agentIs('planner');
    for (let press = 0; press < 2; press++) find('button', 'Do It').click();
    await page.settle();
    await page.answer('setAgent', null);
    await page.settle();
    expect([page.sent('setAgent').length, page.sent('submit').length]).toEqual([1, 1]);
  });

  test('sends no prompt of a handoff together with what the user was writing', async () => {
    await open();
    await agentIs('planner');
    await page.type('Wait');
    find('button', 'Do It').click();
    await page.settle();
    await page.answer('setAgent', null);
    expect([
      page.composer.value.includes('Wait'),
      page.composer.value.includes('Implement it.'),
      page.sent('submit'),
    ]).toEqual([true, true, []]);
  });
});

describe('the effort', () => {
  test('is offered only where the model supports it', async () => {
    await open(thinks({ efforts: ['default'] }));
    const none = names('combobox').includes('Effort');
    await page.tell('model', { chosen: modelRow({ efforts }), problem: null });
    expect([
      none,
      names('combobox').includes('Effort'),
      offeredEfforts(modelRow(), 'high'),
      offeredEfforts(null, 'default'),
    ]).toEqual([false, true, efforts, []]);
  });

  test('is chosen by keyboard with the focus on its button, and shown once the host has it', async () => {
    await open();
    const button = find('combobox', 'Effort');
    button.focus();
    await page.key('ArrowDown');
    const opened = {
      options: all('option').map((option) => option.querySelector('.option-label')?.textContent),
      active: button.getAttribute('aria-activedescendant'),
      list: names('listbox'),
    };
    await page.key('h');
    const byLetter = button.getAttribute('aria-activedescendant');
    await page.key('Home');
    await page.key('End');
    await page.key('Enter');
    const asked = [page.sent('setEffort'), shown()];
    await page.answer('setEffort', null);
    await effortIs('high');
    expect({
      opened,
      byLetter,
      asked,
      now: shown(),
      closed: names('listbox'),
      focus: document.activeElement === button,
    }).toEqual({
      opened: { options: ['Default', 'Off', 'Low', 'Medium', 'High'], active: 'effort-default', list: ['Efforts'] },
      byLetter: 'effort-high',
      asked: [[{ sessionId: session().id, effort: 'high' }], 'Effort'],
      now: 'High',
      closed: [],
      focus: true,
    });
  });

  test('belongs to its session: another has its own, the next segment of this one the same', async () => {
    await open();
    await effortIs('low');
    await page.tell('shown', { ...idle, session: session({ id: 'next' }) });
    const next = shown();
    await page.tell('shown', shownSession({ session: session({ id: 'other', conversationId: 'other' }) }));
    const other = shown();
    await effortIs('medium', 'other');
    await effortIs('high', 'elsewhere');
    expect([next, other, shown()]).toEqual(['Low', 'Effort', 'Effort']);
  });

  test('closes with Escape, which stops nothing, and with a press elsewhere', async () => {
    await open(thinks(), { ...idle, turns: [], openTurn: runningTurn() });
    const button = find('combobox', 'Effort');
    button.focus();
    await page.click(button);
    await page.key('Escape');
    const escaped = [names('listbox'), page.sent('stop')];
    await page.click(button);
    document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
    await page.settle();
    expect([escaped, names('listbox')]).toEqual([[[], []], []]);
  });

  test('that a model does not take is not shown as active', async () => {
    await open(thinks({ efforts: ['default', 'low', 'medium', 'high'] }));
    await effortIs('none');
    expect(shown()).toBe('Effort');
  });
});

describe('moving in a list', () => {
  test('arrows wrap around, pages and ends stop at the ends, other keys do not move', () => {
    const moved = (key: string, place: number, count = 20): number | null => movedIn(key, place, count);
    expect([
      moved('ArrowDown', 19),
      moved('ArrowUp', 0),
      moved('PageDown', 15),
      moved('PageUp', 3),
      moved('PageDown', 2),
      moved('Home', 9),
      moved('End', 9),
      moved('x', 1),
      moved('ArrowDown', 0, 0),
    ]).toEqual([0, 19, 19, 0, 10, 0, 19, null, null]);
    expect([
      typedAhead('m', 0, ['Default', 'Medium', 'More']),
      typedAhead('M', 1, ['Default', 'Medium', 'More']),
      typedAhead('z', 0, ['a']),
    ]).toEqual([1, 2, null]);
  });
});

describe('a list of suggestions', () => {
  test('announces its count once typing pauses, and not before', async () => {
    await open();
    page.composer.focus();
    await page.type('/st');
    await page.clock.advance(600);
    const early = names('status');
    await page.clock.advance(200);
    await page.settle();
    expect([early.includes('2 suggestions'), names('status').includes('2 suggestions')]).toEqual([false, true]);
  });

  test('is not moved by the mouse alone', async () => {
    await open();
    page.composer.focus();
    await page.type('/st');
    const [, second] = all('option');
    second?.dispatchEvent(new Event('pointermove', { bubbles: true }));
    second?.dispatchEvent(new Event('mouseover', { bubbles: true }));
    await page.settle();
    expect(page.composer.getAttribute('aria-activedescendant')).toBe('command-steer');
  });
});

describe('the queue by keyboard', () => {
  const queued = (uid: string, text: string) => ({ uid, sessionId: session().id, text, createdAt: 1 });
  const three = [queued('q1', 'one'), queued('q2', 'two'), queued('q3', 'three')];
  const rowOf = (): string | undefined => document.activeElement?.closest<HTMLElement>('.queue-item')?.dataset['uid'];
  const press = async (uid: string, name: string): Promise<void> => {
    const button = all('button').find(
      (candidate) =>
        nameOf(candidate) === name && candidate.closest<HTMLElement>('.queue-item')?.dataset['uid'] === uid,
    );
    button?.focus();
    await page.click(button ?? document.body);
  };
  const becomes = (...queue: typeof three): Promise<void> =>
    page.tell('queueChanged', { sessionId: session().id, queue });

  test('goes to the next prompt when one is removed, to the composer after the last, and announces it', async () => {
    await open(thinks(), { ...idle, turns: [], openTurn: runningTurn(), queue: three });
    const seen: (string | undefined)[] = [];
    await press('q2', 'Remove');
    await page.answer('removeQueued', null);
    await becomes(...three.filter(({ uid }) => uid !== 'q2'));
    seen.push(rowOf());
    await press('q3', 'Remove');
    await becomes(queued('q1', 'one'));
    await page.answer('removeQueued', null);
    seen.push(rowOf());
    await press('q1', 'Remove');
    await becomes();
    await page.answer('removeQueued', null);
    await page.settle();
    expect([
      seen,
      document.activeElement === page.composer,
      names('status').includes('Removed from the queue'),
    ]).toEqual([['q3', 'q1'], true, true]);
  });

  test('stays with the prompt that is sent next, and takes no focus that moved elsewhere', async () => {
    await open(thinks(), { ...idle, turns: [], openTurn: runningTurn(), queue: three });
    await press('q3', 'Send Next');
    await becomes(queued('q3', 'three'), queued('q1', 'one'), queued('q2', 'two'));
    const moved = rowOf();
    await press('q1', 'Remove');
    page.composer.focus();
    await becomes(queued('q3', 'three'), queued('q2', 'two'));
    expect([moved, document.activeElement === page.composer]).toEqual(['q3', true]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reply } from '../support/modelServer';
import { ChatInWorld } from '../support/chatInWorld';
import { World } from '../support/world';
import { Drafts } from '../../src/webview/chat/drafts/drafts';
import { SessionSwitchController } from '../../src/webview/chat/session/sessionSwitchController';
import { PromptEdits, PromptVersionController } from '../../src/webview/chat/session/promptEdits';
import { TypedInput } from '../../src/webview/chat/composer/typedInput';
import { AskAgain } from '../../src/webview/chat/session/askAgain';

/** One thing a person does in the chat; `pick` chooses among what there is at that moment. */
interface Step {
  readonly kind:
    'type' | 'ask' | 'edit' | 'retry' | 'version' | 'rewind' | 'undo' | 'branch' | 'open' | 'new' | 'ask ahead';
  readonly pick: number;
  /** In the second window beside the first, which may show the same session. */
  readonly beside: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('ask') },
    { weight: 5, arbitrary: fc.constantFrom('edit', 'retry', 'version') },
    {
      weight: 4,
      arbitrary: fc.constantFrom('type', 'rewind', 'undo', 'branch', 'open', 'new'),
    },
    { weight: 2, arbitrary: fc.constant('ask ahead') },
  ),
  pick: fc.nat(1000),
  beside: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
});

const choose = <T>(items: readonly T[], pick: number): T | undefined => items[pick % Math.max(1, items.length)];

/** Does a step by the view's own means, and says which words must be in its composer from then on. */
async function take({ kind, pick }: Step, view: ChatInWorld, word: string): Promise<void> {
  const { chat } = view;
  const conversation = chat.state.peek().conversation;
  const messages = conversation?.messages ?? [];
  const prompts = messages.filter(({ role }) => role === 'user');
  switch (kind) {
    case 'type':
      return chat.part(Drafts).edit(`${view.composer} ${word}`.trim());
    case 'ask':
      chat.part(Drafts).edit(`${view.composer} ${word}`.trim());
      return chat.part(TypedInput).submit();
    case 'edit': {
      const turnUid = choose(prompts, pick)?.turnUid ?? null;
      if (turnUid === null) return;
      chat.part(PromptEdits).change(turnUid, word);
      return void (await chat.part(PromptEdits).resend(turnUid));
    }
    case 'retry': {
      const turnUid = prompts.at(-1)?.turnUid ?? null;
      return turnUid === null ? undefined : chat.part(AskAgain).retry(turnUid);
    }
    case 'version': {
      const versions = choose([...(conversation?.versions.values() ?? [])], pick);
      const turnUid = versions === undefined ? undefined : choose(versions, pick);
      return turnUid === undefined ? undefined : chat.part(PromptVersionController).show(turnUid);
    }
    case 'rewind': {
      const prompt = choose(prompts, pick);
      if (prompt === undefined) return;
      await chat.part(SessionSwitchController).offerRewind(prompt.uid);
      return chat.part(SessionSwitchController).rewind();
    }
    case 'undo':
      return prompts.length === 0
        ? undefined
        : void (await chat.part(SessionSwitchController).undo(String(1 + (pick % 3))));
    case 'branch': {
      const from = choose(messages, pick);
      return from === undefined ? undefined : void (await chat.part(SessionSwitchController).branch(from.uid));
    }
    case 'open': {
      const session = choose(chat.state.peek().recentSessions, pick);
      return session === undefined ? undefined : void (await chat.part(SessionSwitchController).open(session.id));
    }
    case 'new':
      return void (await chat.part(SessionSwitchController).to({ reason: 'new_session' }));
    case 'ask ahead': {
      const other = choose([null, ...chat.state.peek().recentSessions], pick);
      const switched =
        other === undefined || other === null
          ? chat.part(SessionSwitchController).to({ reason: 'new_session' })
          : chat.part(SessionSwitchController).open(other.id);
      if (view.composer === '') {
        chat.part(Drafts).edit(word);
        await chat.part(TypedInput).submit();
      }
      return void (await switched);
    }
    default:
      return kind satisfies never;
  }
}

const runs = Number(process.env['PROPERTY_RUNS'] ?? '20');

describe('the chat, from the composer to the disk', () => {
  it('shows what is stored, with the existing versions, and keeps every typed word, whatever happens in two views of the same sessions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const world = await World.create();
        let answers = 0;
        world.server.otherwise(() => reply().says(`answer ${++answers}`));
        const views = [new ChatInWorld(world, 'one'), new ChatInWorld(world, 'two')] as const;
        const asked: string[] = [];
        try {
          await Promise.all(views.map((view) => view.quiet()));
          for (const [index, one] of steps.entries()) {
            const view = views[one.beside ? 1 : 0];
            const typed = view.composer;
            const place = view.shownSession;
            asked.push(`${one.kind} ${one.pick}${one.beside ? ' beside' : ''}`);
            await take(one, view, `w${index}`);
            await Promise.all(views.map((each) => each.quiet()));
            for (const [number, each] of views.entries()) {
              const { shownSession } = each;
              expect({ asked, number, seen: each.seen(), failures: each.failures }).toEqual({
                asked,
                number,
                seen: shownSession === null ? null : await each.stored(shownSession),
                failures: [],
              });
            }
            // Typed ahead, it is sent to the session that was asked for.
            if (one.kind === 'ask ahead' && typed === '') {
              const texts = view.shownSession === null ? [] : (await view.stored(view.shownSession)).texts;
              expect([
                asked,
                texts.at(-2),
                place === null || (await view.stored(place)).texts.includes(`w${index}`),
              ]).toEqual([asked, `w${index}`, place === null || place === view.shownSession]);
            }
            // Sent, or still where it was typed; in a branch or elsewhere it waits with the session it was typed for.
            const sent = one.kind.startsWith('ask') && !view.composer.includes(`w${index}`);
            if (!sent && place === view.shownSession)
              expect([asked, view.composer.includes(typed)]).toEqual([asked, true]);
            const areTwo = steps.slice(0, index + 1).some(({ beside }) => beside);
            if (!sent && place !== view.shownSession) {
              const kept = await world.gateway.store.draft(place ?? 'new');
              // A prompt that was taken back stands in both views, and the other one may have sent it again since.
              const texts = areTwo && place !== null ? (await view.stored(place)).texts : [];
              const words = typed.split(/\s+/).filter((word) => word !== '');
              if (kept !== typed)
                expect([
                  asked,
                  areTwo,
                  words.filter((word) => ![kept, ...texts].some((text) => text.split(/\s+/).includes(word))),
                ]).toEqual([asked, true, []]);
            }
            if (areTwo) continue;
            // One view alone has in its composer what the host has, a prompt that was taken back included.
            view.chat.part(Drafts).flush();
            await view.quiet();
            expect([asked, view.composer]).toEqual([
              asked,
              await world.gateway.store.draft(view.shownSession ?? 'new'),
            ]);
          }
        } finally {
          for (const view of views) view.dispose();
          await world.close();
        }
      }),
      { numRuns: runs },
    );
  });
});

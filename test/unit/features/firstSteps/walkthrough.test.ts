import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { toDisposable } from '../../../../src/base/disposable';
import { Walkthrough } from '../../../../src/features/firstSteps/host/walkthrough';
import type { SurfaceSwitch } from '../../../../src/gateway/gateway';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { settledTurn } from '../../../support/builders/viewMessages';
import { settle } from '../../host/recordingPort';

const editor = vi.hoisted(() => ({ run: async (_command: string, _key: string): Promise<void> => undefined }));
vi.mock('vscode', () => ({
  commands: { executeCommand: (command: string, key: string) => editor.run(command, key) },
}));

function said(command: string, key: string): string {
  if (command === 'setContext') return key;
  return command === 'welcome.markStepComplete' ? `(ticked off ${key.split('#')[2] ?? ''})` : `(opened ${key})`;
}

function started(ranBefore: boolean) {
  const told: string[] = [];
  editor.run = async (command, key) => void told.push(said(command, key));
  const stored = new Map<string, boolean>(ranBefore ? [['hermes.ranBefore', true]] : []);
  let tell: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void = () => undefined;
  let switched: (event: SurfaceSwitch) => void = () => undefined;
  const made = new Walkthrough({
    gateway: {
      surfaces: {
        onDidTurnEvent: (listener) => ((tell = listener), toDisposable(() => undefined)),
        onDidSwitchSession: (listener) => ((switched = listener), toDisposable(() => undefined)),
      },
    },
    history: { store: { getSession: async (id) => ({ parentKind: id === 'branch' ? 'branch' : null }) } },
    context: {
      extension: { id: 'hermes' },
      globalState: {
        get: (key: string) => stored.get(key) as never,
        update: async (key, value) => void stored.set(key, value),
      },
    },
  });
  return {
    told,
    made,
    stored,
    stopped: () => tell({ sessionId: 's', event: settledBy('user') }),
    ended: () => tell({ sessionId: 's', event: settledBy('stop') }),
    shows: (to: string) => switched({ surfaceId: 'chat', from: null, to, reason: 'resume' }),
  };
}

function settledBy(stopReason: 'user' | 'stop'): TurnEvent {
  const outcome = stopReason === 'user' ? 'interrupted' : 'complete';
  return { kind: 'turnSettled', turn: settledTurn('t', 'u', { outcome, stopReason, failure: null }), messages: [] };
}

describe('the walkthrough', () => {
  it('is not offered in the first window until the user asks for it, so that the editor does not open it after installing', async () => {
    const first = started(false);
    const before = [...first.told];
    await first.made.commands['getStarted']?.();
    expect([before, first.told, first.stored.get('hermes.ranBefore'), started(true).told]).toEqual([
      [],
      ['hermes.walkthroughOffered', '(opened hermes#getStarted)'],
      true,
      ['hermes.walkthroughOffered'],
    ]);
  });

  it('checks off its steps when they happen, each once', async () => {
    const { told, made, stopped, ended, shows } = started(false);
    ended();
    made.modelChosen(false);
    shows('plain');
    await settle();
    const before = [...told];
    stopped();
    stopped();
    made.modelChosen(true);
    shows('branch');
    await settle();
    expect([before, told]).toEqual([
      ['hermes.promptSent'],
      ['hermes.promptSent', 'hermes.turnStopped', 'hermes.modelChosen', 'hermes.branchShown'],
    ]);
  });

  it('checks off steps done before it was opened, after the editor has loaded it', async () => {
    const { told, made, stopped } = started(true);
    made.modelChosen(true);
    stopped();
    made.crashDemoRun(false);
    const before = told.length;
    await made.commands['getStarted']?.();
    expect(told.slice(before)).toEqual(['(opened hermes#getStarted)', '(ticked off model)', '(ticked off stop)']);
  });

  it('has a picture for every step, in theme colors and without untranslatable words', () => {
    const manifest: { contributes: { walkthroughs: { steps: { id: string; media: { svg: string } }[] }[] } } =
      JSON.parse(readFileSync('package.json', 'utf8'));
    const pictures = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg));
    const data =
      /^(127\.0\.0\.1:11434|vscode\.lm|openrouter\.ai|src\/upload\.ts:42|@upload\.ts|MEMORY\.md|1,284 \/ 1,284|\d+ [hd])$/;
    const seen = pictures.map((file) => {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const words = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map((match) => match[1] ?? '');
      return [
        text.startsWith('<svg'),
        /(?:fill|stroke)="(?!none|var\(--vscode-)/.test(text),
        words.filter((word) => !data.test(word)),
      ];
    });
    expect(seen).toEqual(pictures.map(() => [true, false, []]));
    expect(pictures.length).toBe(7);
  });
});

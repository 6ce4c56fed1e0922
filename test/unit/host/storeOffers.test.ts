import { describe, expect, it } from 'vitest';
import { StoreStatus } from '../../../src/host/storage/storeStatus';
import { StoreAtHand } from './storeAtHand';

const storeStatus = (): StoreStatus => new StoreStatus(new StoreAtHand());
const shown = (of: StoreStatus) => (of.shown.kind === 'open' ? of.shown.notices : []);

describe('an offer of the store', () => {
  it("runs the user's choice as long as it is offered", async () => {
    const store = storeStatus();
    const done: string[] = [];
    const choices = ['Yes', 'No'].map((label) => ({ label, run: async () => void done.push(label) }));
    store.offer('topic', [{ sentence: 'Shall it be done?', choices }]);
    const [notice] = shown(store);
    const [yes, no] = notice?.actions ?? [];
    if (yes === undefined || no === undefined) throw new Error('nothing is offered');
    const ran = [await store.runAction(no.action), await store.runAction(yes.action)];
    store.offer('topic', []);
    ran.push(await store.runAction(yes.action));
    expect({ sentence: notice?.sentence, labels: [yes.label, no.label], done, ran, left: shown(store) }).toEqual({
      sentence: 'Shall it be done?',
      labels: ['Yes', 'No'],
      done: ['No', 'Yes'],
      ran: [true, true, false],
      left: [],
    });
  });

  it('is shown with other topics, and is removed alone', async () => {
    const store = storeStatus();
    store.offer('one', [{ sentence: 'One', choices: [{ label: 'A', run: async () => undefined }] }]);
    store.offer('one more', [{ sentence: 'Two', choices: [{ label: 'B', run: async () => undefined }] }]);
    store.offer('one', []);
    const [notice] = shown(store);
    expect([notice?.sentence, await store.runAction(notice?.actions[0]?.action ?? '')]).toEqual(['Two', true]);
  });
});

// What must be noticed when a rule about Enter is switched off: a prompt is in the composer or sent, and never in both; the shape is that of
// `guards` in ../mutations.mjs.
export const guards = [
  {
    name: 'a turn takes its prompt out of the draft',
    file: 'src/store/session/operations/turnLifecycle.ts',
    tests: ['test/unit/store/sessionDbDrafts'],
    from: '    if (input.draft !== undefined) this.prompts.takeFromDraft(input.draft, session.id);',
    to: '',
  },
  {
    name: 'the queue takes its prompt out of the draft',
    file: 'src/store/session/operations/queuedPrompts.ts',
    tests: ['test/unit/store/sessionDbDrafts'],
    from: '    if (prompt.draft !== undefined) this.takeFromDraft(prompt.draft, prompt.sessionId);',
    to: '',
  },
  {
    name: 'a draft without what is stored',
    file: 'src/store/session/operations/queuedPrompts.ts',
    tests: ['test/unit/store/sessionDbDrafts'],
    from: 'sent.filter((_prompt, index) => stored[index] === null)',
    to: 'sent',
  },
  {
    name: 'the draft is stored ahead of its prompt',
    file: 'src/host/chat/chatHandlers.ts',
    tests: ['test/unit/host/chatSurfaceMessages'],
    from: '    await draftSaved.catch(() => undefined);\n    const along',
    to: '    const along',
  },
  {
    name: 'a page is drawn behind what is being written',
    file: 'src/host/chat/chatSurface.ts',
    tests: ['test/unit/host/chatSurfaceMessages'],
    from: '    if (this.bootstrapDue && this.deps.store.isReadable) await this.writes.done();',
    to: '',
  },
  {
    name: 'a text the host does not have is remembered by the page',
    file: 'src/webview/chat/composer/unsavedDrafts.ts',
    tests: ['test/unit/webview/chat/components/composer/enter'],
    from: '      if (!isSaved || note === undefined',
    to: '      if (note === undefined',
  },
  {
    name: 'prompts behind a refused one stay in the composer',
    file: 'src/webview/chat/composer/promptSender.ts',
    tests: ['test/unit/webview/chat/components/composer/enter'],
    from: '      this.deps.drafts.returned(this.sending.peek().map(({ uid }) => uid));',
    to: '',
  },
  {
    name: 'the same prompt again has the same uid',
    file: 'src/webview/chat/composer/promptSender.ts',
    tests: ['test/unit/webview/chat/components/composer/enter'],
    from: ' this.uidOfSame(sessionId, text, parts) ??',
    to: '',
  },
];

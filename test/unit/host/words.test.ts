import { describe, expect, it } from 'vitest';
import { ageLabels } from '../../../src/host/library/sessionLabels';
import { editorModelVendors } from '../../../src/host/models/editorModels';
import { openReportNotices, storeLabels } from '../../../src/host/storage/storeLabels';
import { storagePlace, type WindowFacts } from '../../../src/host/storage/windowStorage';
import { webviewHtml } from '../../../src/host/webviews/webviewPrograms';
import { emptyReport } from '../store/ownership/emptyReport';
import type { StoreState } from '../../../src/store/ownership/storeState';
import { elsewhereState } from './storeAtHand';

describe('the age of a session', () => {
  it.each([
    [5, 'now'],
    [90, '1 minute ago'],
    [3 * 3600, '3 hours ago'],
    [30 * 3600, 'yesterday'],
    [9 * 86_400, 'last week'],
    [800 * 86_400, '2 years ago'],
    [-60, 'now'],
  ])('%d s is "%s"', (age, words) => {
    expect(ageLabels(1_000_000_000 - age, 1_000_000_000)).toBe(words);
  });
});

describe('another window', () => {
  it('can be taken over from, and an action already chosen is not offered again', () => {
    const labels = (change: Partial<StoreState & { kind: 'elsewhere' }>) => {
      const shown = storeLabels({ ...elsewhereState, ...change }, []);
      return shown.kind === 'elsewhere' ? [shown.sentence, ...shown.actions.map(({ label }) => label)] : [];
    };
    expect([
      labels({ report: emptyReport }),
      labels({}),
      labels({ takeOver: 'asked' }),
      labels({ takeOver: 'unanswered' }),
    ]).toEqual([
      ['Your sessions are open in another window. You can read them here.', 'Take Over'],
      ['Your sessions are open in another window.', 'Take Over'],
      ['Taking over… The other window is saving its work.'],
      ['The other window isn’t responding (process 9731 on this machine). Close it, or try again.', 'Take Over'],
    ]);
  });
});

describe('the report after opening the store', () => {
  it('is absent when all is well, also after a crash', () => {
    expect(openReportNotices({ ...emptyReport, recoveredTurns: [{ sessionId: 's', turnUid: 't' }] })).toEqual([]);
  });

  it('says where a damaged file is kept and what was read from it', () => {
    const quarantined = { path: '/s/state.db.damaged', damage: 'content' } as const;
    expect(
      [
        ...openReportNotices({
          ...emptyReport,
          quarantined,
          salvaged: [{ path: quarantined.path, sessions: 3, messages: 40, complete: false }],
        }),
        ...openReportNotices({ ...emptyReport, quarantined }),
      ].map(({ sentence }) => sentence),
    ).toEqual([
      'The session file was damaged. Most of it was recovered (3 sessions, 40 messages); some rows ' +
        'couldn’t be read. The damaged file is kept at /s/state.db.damaged.',
      'The session file couldn’t be read, so Hermes started a new history. The old file is kept ' +
        'unchanged at /s/state.db.damaged.',
    ]);
  });
});

describe('the storage location of a window', () => {
  const facts: WindowFacts = {
    storagePath: null,
    workspaceStorage: '/w/0123/ext',
    globalStorage: '/g/ext',
    workspace: { name: 'my project!', uri: 'file:///home/a/my%20project' },
    emptyWindowId: () => 'id-1',
  };

  it("is the editor's storage, or a separate folder below the one in the settings", () => {
    const other = { name: 'my project!', uri: 'file:///home/b/my%20project' };
    const [own, same, another] = [facts, facts, { ...facts, workspace: other }].map((window) =>
      storagePlace({ ...window, storagePath: '/data' }),
    );
    expect({
      editor: storagePlace(facts),
      readable: /^\/data\/my-project-[0-9a-f]{12}$/.test(own ?? ''),
      stable: own === same,
      apart: own !== another,
      empty: [
        storagePlace({ ...facts, workspace: null, workspaceStorage: null }),
        storagePlace({ ...facts, workspace: null, workspaceStorage: null, storagePath: '/data' }),
      ],
      odd: storagePlace({ ...facts, storagePath: '/data', workspace: { name: '../..', uri: 'file:///x' } }).startsWith(
        '/data/',
      ),
    }).toEqual({
      editor: '/w/0123/ext',
      readable: true,
      stable: true,
      apart: true,
      empty: ['/g/ext/empty-windows/id-1', '/data/empty-id-1'],
      odd: true,
    });
  });
});

describe('the HTML page of a view', () => {
  const html = webviewHtml({
    title: 'Hermes',
    language: 'de"><script>',
    script: 'https://r/chat.js',
    styles: ['https://r/a.css?x=1&y=2'],
    cspSource: 'https://*.example',
    nonce: 'abc123',
    place: 'editor',
  });

  it('allows our script by nonce and our own files, and nothing else', () => {
    expect(/content="([^"]+)"/.exec(html)?.[1]).toBe(
      "default-src 'none'; script-src 'nonce-abc123'; style-src https://*.example; font-src https://*.example; img-src https://*.example data:; base-uri 'none'; form-action 'none'; frame-src 'none'",
    );
    expect(html).not.toContain('unsafe');
  });

  it('escapes its values, and holds one script and no inline style', () => {
    expect({
      scripts: html.match(/<script/g)?.length,
      inline: /<style|\sstyle=|\son\w+=/.test(html),
      link: html.includes('href="https://r/a.css?x=1&amp;y=2"'),
    }).toEqual({ scripts: 1, inline: false, link: true });
  });
});

describe('vendors of editor models', () => {
  it('are those of all installed extensions, whatever their manifests look like, and the built-in ones', () => {
    const vendors = editorModelVendors([
      null,
      7,
      { contributes: null },
      { contributes: { languageModelChatProviders: 'x' } },
      { contributes: { languageModelChatProviders: [{ vendor: 'acme' }, { vendor: 'acme' }] } },
      { contributes: { languageModelChatProviders: { vendor: 'single' } } },
    ]);
    expect([vendors.slice(0, 2), vendors.includes('copilot'), new Set(vendors).size === vendors.length]).toEqual([
      ['acme', 'single'],
      true,
      true,
    ]);
  });
});

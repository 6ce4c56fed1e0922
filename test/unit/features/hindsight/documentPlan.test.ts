import { describe, expect, it } from 'vitest';
import { operationIdOf, startStamp } from '../../../../src/features/hindsight/core/documentContent';
import { newestKept, nextStep, type DocumentAim } from '../../../../src/features/hindsight/core/sessionDocuments';
import { recallQuery } from '../../../../src/features/hindsight/core/hindsightProvider';
import { appendsFrom } from '../../../../src/features/hindsight/core/hindsightApi';
import type { DocumentCursor, SessionRecord } from '../../../../src/features/hindsight/core/sessionRecord';

const holding = (id: string, turns: string, dirty = false): DocumentCursor => ({
  id,
  turns: turns.split(''),
  dirty,
  operation: null,
});
const record = (turns: string, ...documents: readonly DocumentCursor[]): SessionRecord => ({
  parentSessionId: null,
  turns: turns.split(''),
  documents,
  writes: 0,
});
const aim = (active: string, changes: Partial<DocumentAim> = {}): DocumentAim => ({
  active: new Set(active),
  openDocument: 'S',
  appends: true,
  ...changes,
});
const said = (step: ReturnType<typeof nextStep>): string =>
  step === null
    ? 'nothing'
    : [
        `${step.kind} ${step.documentId}`,
        ...(step.kind === 'append' ? [`+${step.added.join('')}`] : []),
        ...(step.kind === 'delete' ? [] : [`= ${step.turns.join('')}`]),
      ].join(' ');

describe('the next step of a document', () => {
  it.each([
    ['nothing was handed over', record(''), aim(''), 'nothing'],
    ['it holds all of it', record('ab', holding('S', 'ab')), aim('ab'), 'nothing'],
    ['it does not exist', record('ab'), aim('ab'), 'replace S = ab'],
    ['turns came', record('abc', holding('S', 'a')), aim('abc'), 'append S +bc = abc'],
    ['turns came and its state is unknown', record('abc', holding('S', 'a', true)), aim('abc'), 'replace S = abc'],
    ['nothing came and its state is unknown', record('a', holding('S', 'a', true)), aim('a'), 'replace S = a'],
    ['the last turns were rewound', record('abc', holding('S', 'abc')), aim('a'), 'replace S = a'],
    ['everything was rewound', record('ab', holding('S', 'ab')), aim(''), 'delete S'],
    ['everything was rewound while its state is unknown', record('ab', holding('S', 'ab', true)), aim(''), 'delete S'],
    ['a turn was asked again', record('abB', holding('S', 'ab')), aim('aB'), 'replace S = aB'],
    ['an earlier version is back', record('abB', holding('S', 'aB')), aim('ab'), 'replace S = ab'],
  ])('if %s', (_when, known, wanted, step) => {
    expect(said(nextStep(known, wanted))).toBe(step);
  });

  it.each([
    [
      'the start has written nothing',
      record('ab', holding('S-1', 'a')),
      aim('ab', { openDocument: 'S-2', appends: false }),
      'replace S-2 = b',
    ],
    [
      'turns came',
      record('abc', holding('S-1', 'a'), holding('S-2', 'b')),
      aim('abc', { openDocument: 'S-2', appends: false }),
      'replace S-2 = bc',
    ],
    [
      'a turn of an earlier start was rewound',
      record('ab', holding('S-1', 'ab')),
      aim('a', { openDocument: 'S-2', appends: false }),
      'replace S-1 = a',
    ],
    [
      'an earlier start’s state is unknown',
      record('ab', holding('S-1', 'a', true)),
      aim('ab', { openDocument: 'S-2', appends: false }),
      'replace S-1 = a',
    ],
    ['the server appends since its last start', record('ab', holding('S-1', 'a')), aim('ab'), 'replace S = b'],
  ])('on a server that overwrites, if %s', (_when, known, wanted, step) => {
    expect(said(nextStep(known, wanted))).toBe(step);
  });

  it('takes the newest turn in a document as proof for all turns before it', () => {
    expect([newestKept(record('abc', holding('S', 'ab'))), newestKept(record('abc'))]).toEqual(['b', null]);
  });
});

describe('names', () => {
  it('of operations are UUIDs that change with any input', () => {
    const ids = [
      operationIdOf('S', '1', 'a'),
      operationIdOf('S', '1', 'a'),
      operationIdOf('S', '2', 'a'),
      operationIdOf('S', '1', 'a', 'b'),
      operationIdOf('S', '1a'),
    ];
    expect({
      same: ids[0] === ids[1],
      different: new Set(ids).size,
      form: ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
    }).toEqual({ same: true, different: 4, form: true });
  });

  it('of starts are times to the millisecond', () => {
    expect(startStamp(1_795_161_600.5)).toBe('20261120T080000500Z');
  });
});

describe('versions and queries', () => {
  it('0.5.0 is the first version that appends', () => {
    expect(['0.4.22', '0.5.0', '0.9.1', '1.0.0', 'v0.5.1', 'unknown', '0'].map(appendsFrom)).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('a query is never cut in the middle of a character', () => {
    const query = recallQuery(`a${'🜁'.repeat(800)}`);
    expect({ whole: query.isWellFormed(), short: query.length <= 800, begins: query.startsWith('a🜁') }).toEqual({
      whole: true,
      short: true,
      begins: true,
    });
  });
});

import * as v from 'valibot';

export type UpdateMode = 'replace' | 'append';
export type TagsMatch = 'any' | 'all' | 'any_strict' | 'all_strict' | 'exact';

export interface BankItem {
  readonly content: string;
  readonly documentId: string;
  readonly tags: readonly string[];
  readonly mode: UpdateMode;
}

export interface BankDocument {
  readonly text: string;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface BankOperation {
  readonly id: string;
  readonly items: readonly BankItem[];
  readonly submittedAt: number;
  readonly dueAt: number;
  /** How it will end. spoilt: reported as failed although what it did stays. */
  readonly fate: 'completes' | 'fails' | 'spoilt';
  state: 'pending' | 'completed' | 'failed' | 'cancelled';
}

const messages = v.pipe(v.string(), v.parseJson(), v.array(v.looseObject({})));
const spokenMessages = v.pipe(v.string(), v.parseJson(), v.array(v.object({ content: v.string() })));

/** What one bank holds: documents, and operations that change them when they fall due, whatever the order in which they came. */
export class MemoryBank {
  readonly documents = new Map<string, BankDocument>();
  readonly operations = new Map<string, BankOperation>();

  /** Does what is due. */
  work(now: number): void {
    const due = [...this.operations.values()]
      .filter(({ state, dueAt }) => state === 'pending' && dueAt <= now)
      .sort((left, right) => left.dueAt - right.dueAt);
    for (const operation of due) {
      if (operation.fate !== 'fails') for (const item of operation.items) this.write(item, operation.dueAt);
      operation.state = operation.fate === 'completes' ? 'completed' : 'failed';
    }
  }

  /** `replace` forgets the document and everything made from it; `append` adds to its text, arrays of objects staying one array. */
  write({ documentId, content, tags, mode }: BankItem, now: number): void {
    const before = this.documents.get(documentId);
    const text = mode === 'append' && before !== undefined ? joined(before.text, content) : content;
    this.documents.set(documentId, { text, tags, createdAt: before?.createdAt ?? now, updatedAt: now });
  }

  /** One memory for each message of a document that is an array of messages, otherwise one for all of it. */
  memories(): readonly {
    readonly id: string;
    readonly text: string;
    readonly documentId: string;
    readonly tags: readonly string[];
  }[] {
    return [...this.documents].flatMap(([documentId, { text, tags }]) => {
      const parsed = v.safeParse(spokenMessages, text);
      const texts = parsed.success ? parsed.output.map(({ content }) => content) : [text];
      return texts.map((memory, index) => ({ id: `${documentId}/${index}`, text: memory, documentId, tags }));
    });
  }
}

/** any and all let what has no tags through, the strict ones do not; exact wants the same set. */
export function tagsMatch(mode: TagsMatch, wanted: readonly string[], has: readonly string[]): boolean {
  if (mode === 'exact') return wanted.length === new Set(has).size && wanted.every((tag) => has.includes(tag));
  if (wanted.length === 0) return true;
  const matches = mode.startsWith('any')
    ? wanted.some((tag) => has.includes(tag))
    : wanted.every((tag) => has.includes(tag));
  return matches || (has.length === 0 && !mode.endsWith('_strict'));
}

/** About what a server's tokenizer would count, on the high side. */
export function queryTokens(text: string): number {
  const wide = text.match(/[\u2e80-\uffff]/g)?.length ?? 0;
  return Math.ceil(wide * 1.2 + (text.length - wide) / 4);
}

function joined(before: string, added: string): string {
  const [left, right] = [v.safeParse(messages, before), v.safeParse(messages, added)];
  return left.success && right.success ? JSON.stringify([...left.output, ...right.output]) : `${before}\n${added}`;
}

import * as v from 'valibot';
import type { DescribedCall } from './contract';
import { type BankItem, type BankOperation, type MemoryBank, queryTokens, tagsMatch } from './memoryBank';
import type { HindsightStandIn } from './standIn';

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i));
const retainBody = v.object({
  items: v.array(
    v.object({
      content: v.string(),
      document_id: v.nullish(v.string()),
      tags: v.nullish(v.array(v.string())),
      update_mode: v.nullish(v.picklist(['replace', 'append'])),
    }),
  ),
  async: v.optional(v.boolean(), false),
  operation_id: v.nullish(v.string()),
});
const tagsMatchMode = v.picklist(['any', 'all', 'any_strict', 'all_strict', 'exact']);
const recallBody = v.object({
  query: v.string(),
  max_tokens: v.optional(v.number(), 4096),
  tags: v.nullish(v.array(v.string())),
  tags_match: v.optional(tagsMatchMode, 'any'),
});
const reflectBody = v.object({ query: v.string() });

/** What the real server answers, and does. */
export function answerTo(
  server: HindsightStandIn,
  call: DescribedCall,
  body: unknown,
  query: URLSearchParams,
  newId: () => string,
): Refusal {
  const { bank_id: bankId = '', operation_id: operationId = '', document_id: documentId = '' } = call.parameters;
  switch (call.operation) {
    case 'health_endpoint_health_get':
      return ok({ status: 'healthy', database: 'connected' });
    case 'get_version':
      return ok({ api_version: server.version, features: features() });
    case 'retain_memories':
      return retain(server, bankId, v.parse(retainBody, body), newId);
    case 'get_operation_status':
      return v.is(uuid, operationId)
        ? ok(statusOf(server.bank(bankId), operationId))
        : refused(400, `Invalid operation_id format: ${operationId}`);
    case 'cancel_operation':
      return cancel(server.bank(bankId), operationId);
    case 'list_operations':
      return ok(listOperations(server.bank(bankId), bankId, query.get('status')));
    case 'list_documents':
      return ok(listDocuments(server, bankId, query));
    case 'get_document':
      return getDocument(server.banks.get(bankId), bankId, documentId);
    case 'delete_document': {
      if (server.banks.get(bankId)?.documents.delete(documentId) !== true) return refused(404, 'Document not found');
      return ok({
        success: true,
        message: `Document '${documentId}' and 1 associated memory units deleted successfully`,
        document_id: documentId,
        memory_units_deleted: 1,
      });
    }
    case 'recall_memories':
      return recall(server, bankId, v.parse(recallBody, body));
    case 'reflect':
      return reflect(server, bankId, v.parse(reflectBody, body).query);
    default:
      return refused(404, 'Not Found');
  }
}

function retain(
  server: HindsightStandIn,
  bankId: string,
  body: v.InferOutput<typeof retainBody>,
  newId: () => string,
): Refusal {
  const overwrites = server.options.server === 'overwrites';
  const asked = overwrites ? null : (body.operation_id ?? null);
  if (asked !== null && !v.is(uuid, asked))
    return refused(422, [
      { loc: ['body', 'operation_id'], msg: 'Value error, operation_id must be a valid UUID', type: 'value_error' },
    ]);
  if (body.items.some(({ content }) => content.trim() === ''))
    return refused(422, [
      { loc: ['body', 'items', 0, 'content'], msg: 'Value error, content must not be empty', type: 'value_error' },
    ]);
  const items = body.items.map((item): BankItem => ({
    content: item.content,
    documentId: item.document_id ?? newId(),
    tags: item.tags ?? [],
    mode: overwrites ? 'replace' : (item.update_mode ?? 'replace'),
  }));
  const bank = server.bank(bankId);
  const answer = (operationId: string | null): Refusal =>
    ok({
      success: true,
      bank_id: bankId,
      items_count: items.length,
      async: body.async,
      ...(operationId === null ? {} : { operation_id: operationId }),
    });
  if (!body.async) {
    for (const item of items) bank.write(item, server.now());
    return answer(null);
  }
  if (asked !== null) {
    const elsewhere = [...server.banks].some(([name, other]) => name !== bankId && other.operations.has(asked));
    if (elsewhere) return refused(409, `operation_id ${asked} already belongs to a different operation`);
    // Asking again under the same id is the same operation, whatever is in it.
    if (bank.operations.has(asked)) return answer(asked);
  }
  const ids = items.map(({ documentId }) => documentId);
  if (new Set(ids).size < ids.length) return refused(400, 'Batch contains duplicate document_ids');
  const { seconds, fate } = server.options.processing?.() ?? { seconds: 0, fate: 'completes' as const };
  const operation: BankOperation = {
    id: asked ?? newId(),
    items,
    submittedAt: server.now(),
    dueAt: server.now() + seconds,
    fate,
    state: 'pending',
  };
  bank.operations.set(operation.id, operation);
  bank.work(server.now());
  return answer(operation.id);
}

function statusOf(bank: MemoryBank, id: string): object {
  const operation = bank.operations.get(id);
  if (operation === undefined) return { operation_id: id, status: 'not_found' };
  return {
    operation_id: id,
    status: operation.state,
    operation_type: 'retain',
    ...(operation.state === 'failed' ? { error_message: 'extraction failed' } : {}),
  };
}

function cancel(bank: MemoryBank, id: string): Refusal {
  const operation = bank.operations.get(id);
  if (operation?.state !== 'pending') return refused(404, `Operation ${id} not found or not pending`);
  operation.state = 'cancelled';
  return ok({ success: true, message: `Operation ${id} cancelled`, operation_id: id });
}

function listOperations(bank: MemoryBank, bankId: string, status: string | null): object {
  const operations = [...bank.operations.values()].filter(({ state }) => status === null || state === status);
  return {
    bank_id: bankId,
    total: operations.length,
    limit: 20,
    offset: 0,
    operations: operations.slice(0, 20).map(({ id, items, submittedAt, state }) => ({
      id,
      task_type: 'retain',
      items_count: items.length,
      created_at: iso(submittedAt),
      status: state,
      error_message: null,
    })),
  };
}

function listDocuments(server: HindsightStandIn, bankId: string, query: URLSearchParams): object {
  const [limit, offset] = [Number(query.get('limit') ?? 100), Number(query.get('offset') ?? 0)];
  const mode = v.parse(tagsMatchMode, query.get('tags_match') ?? 'any_strict');
  // The first servers did not know the filter.
  const tags = server.options.server === 'overwrites' ? [] : query.getAll('tags');
  const found = [...server.bank(bankId).documents].filter(
    ([, document]) => tags.length === 0 || tagsMatch(mode, tags, document.tags),
  );
  const items = found.slice(offset, offset + limit).map(([id, { text, tags: has, createdAt, updatedAt }]) => ({
    id,
    bank_id: bankId,
    content_hash: null,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    text_length: text.length,
    memory_unit_count: 1,
    tags: has,
  }));
  return { items, total: found.length, limit, offset };
}

function getDocument(bank: MemoryBank | undefined, bankId: string, documentId: string): Refusal {
  const document = bank?.documents.get(documentId);
  if (document === undefined) return refused(404, 'Document not found');
  const { text, tags, createdAt, updatedAt } = document;
  return ok({
    id: documentId,
    bank_id: bankId,
    original_text: text,
    content_hash: null,
    created_at: iso(createdAt),
    updated_at: iso(updatedAt),
    memory_unit_count: 1,
    tags,
  });
}

function recall(server: HindsightStandIn, bankId: string, body: v.InferOutput<typeof recallBody>): Refusal {
  const tokens = queryTokens(body.query);
  if (tokens > 500)
    return refused(400, `Query too long: ${tokens} tokens exceeds maximum of 500. Please shorten your query.`);
  const bank = server.banks.get(bankId);
  if (bank === undefined) return refused(404, `Bank '${bankId}' not found`);
  const words = wordsOf(body.query);
  const matching = bank
    .memories()
    .filter(
      ({ text, tags }) =>
        tagsMatch(body.tags_match, body.tags ?? [], tags) && wordsOf(text).some((word) => words.includes(word)),
    );
  let left = body.max_tokens;
  const results = matching.filter(({ text }) => (left -= queryTokens(text)) >= 0);
  return ok({
    results: results.map(({ id, text, documentId, tags }) => ({
      id,
      text,
      type: 'world',
      document_id: documentId,
      tags,
    })),
  });
}

function reflect(server: HindsightStandIn, bankId: string, query: string): Refusal {
  const bank = server.banks.get(bankId);
  if (bank === undefined) return refused(404, `Bank '${bankId}' not found`);
  const known = bank.memories().filter(({ text }) => wordsOf(text).some((word) => wordsOf(query).includes(word)));
  return ok({ text: `From ${known.length} memories: ${known.map(({ text }) => text).join(' | ')}` });
}

function features(): object {
  return {
    observations: true,
    mcp: true,
    worker: true,
    bank_config_api: true,
    bank_llm_health: true,
    file_upload_api: true,
    document_export_api: true,
    document_import_api: true,
    audit_log: false,
    llm_trace: false,
    store_document_text: true,
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function ok(body: unknown): Refusal {
  return { status: 200, body };
}

function refused(status: number, detail: unknown): Refusal {
  return { status, body: { detail } };
}

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../../../../src/features/mcp/core/client/failures';

describe('a call that an MCP server refused', () => {
  it.each<[string, number, string, boolean]>([
    ['an unknown method', ProtocolErrorCode.MethodNotFound, 'Method not found', false],
    ['a request it could not read', ProtocolErrorCode.ParseError, 'Parse error', false],
    ['a request that is none', ProtocolErrorCode.InvalidRequest, 'Invalid request', false],
    ['arguments that do not fit', ProtocolErrorCode.InvalidParams, 'Invalid arguments for tool x', false],
    [
      'a result that does not fit',
      ProtocolErrorCode.InvalidParams,
      'Output validation error: no structured content',
      true,
    ],
    [
      'missing structured content',
      ProtocolErrorCode.InvalidParams,
      'Tool x has an output schema but gave no structuredContent',
      true,
    ],
    ['an error of its own', ProtocolErrorCode.InternalError, 'boom', true],
    ['a code of its own', -32050, 'mail was sent, but the log is full', true],
    ['a positive code', 7, 'failed', true],
  ])('may have run after %s: only where it is known it did not', (_what, code, message, mayHaveRun) => {
    expect(failureOf(new ProtocolError(code, message), null)).toMatchObject({ kind: 'failed', mayHaveRun });
  });
});

import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import formats from 'ajv-formats';
import * as v from 'valibot';

const methodSchema = v.object({
  operationId: v.string(),
  parameters: v.optional(
    v.array(
      v.object({
        name: v.string(),
        in: v.string(),
        required: v.optional(v.boolean(), false),
        schema: v.record(v.string(), v.unknown()),
      }),
    ),
    [],
  ),
  requestBody: v.optional(v.object({ content: v.object({ 'application/json': v.object({ schema: v.unknown() }) }) })),
  responses: v.record(
    v.string(),
    v.object({ content: v.optional(v.object({ 'application/json': v.object({ schema: v.unknown() }) })) }),
  ),
});
const documentSchema = v.object({
  paths: v.record(v.string(), v.record(v.string(), methodSchema)),
  components: v.object({ schemas: v.record(v.string(), v.unknown()) }),
});

/** One operation of the description. */
export interface DescribedCall {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** What is wrong with a request, as FastAPI would say it. */
  requestProblems(body: unknown, query: URLSearchParams): readonly string[];
  responseProblems(status: number, body: unknown): readonly string[];
}

interface Operation {
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly id: string;
  readonly queryNames: ReadonlySet<string>;
  readonly request: ValidateFunction | null;
  readonly responses: ReadonlyMap<string, ValidateFunction>;
}

/** The published description of the server, as validators. */
export class Contract {
  private readonly operations: readonly Operation[];

  constructor() {
    const text = readFileSync(path.resolve('test/support/hindsight/openapi.json'), 'utf8');
    const { paths, components } = v.parse(v.pipe(v.string(), v.parseJson(), documentSchema), text);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema({ $id: 'description', components });
    const compile = (schema: unknown): ValidateFunction => ajv.compile(absolute(schema));
    this.operations = Object.entries(paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, described]): Operation => {
        const body = described.requestBody?.content['application/json'].schema;
        return {
          method: method.toUpperCase(),
          pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '([^/]+)')}$`),
          names: [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name),
          id: described.operationId,
          queryNames: new Set(
            described.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
          ),
          request: body === undefined ? null : compile(body),
          responses: new Map(
            Object.entries(described.responses).flatMap(([status, { content }]) =>
              content === undefined ? [] : [[status, compile(content['application/json'].schema)] as const],
            ),
          ),
        };
      }),
    );
  }

  find(method: string, pathname: string): DescribedCall | null {
    for (const operation of this.operations) {
      const match = operation.method === method ? operation.pattern.exec(pathname) : null;
      if (match === null) continue;
      const parameters = Object.fromEntries(
        operation.names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]),
      );
      return {
        operation: operation.id,
        parameters,
        requestProblems: (body, query) => [
          ...[...query.keys()]
            .filter((name) => !operation.queryNames.has(name))
            .map((name) => `query.${name}: unknown`),
          ...(operation.request === null ? [] : problems(operation.request, body)),
        ],
        responseProblems: (status, body) => {
          const validate = operation.responses.get(String(status));
          return validate === undefined ? [] : problems(validate, body);
        },
      };
    }
    return null;
  }
}

function problems(validate: ValidateFunction, value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `body${instancePath.replaceAll('/', '.')}: ${message ?? 'is wrong'}`,
  );
}

/** References of the document, made absolute, so that each part can be compiled on its own. */
function absolute(schema: unknown): object {
  return v.parse(
    v.pipe(v.string(), v.parseJson(), v.looseObject({})),
    JSON.stringify(schema).replaceAll('"#/components/', '"description#/components/'),
  );
}

import { unescape } from 'node:querystring';
import { isJsonObject, objectIn, type JsonObject, type JsonValue } from '../../transcript/json';

/** valid: draft 2020-12, an object without combinations at its top. simple: in addition only what every service
 *  reads: one type each, no references, enums of texts. */
export type SchemaStyle = 'valid' | 'simple';

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
/** Words that servers in other languages use for types. */
const otherTypes: readonly (readonly [words: RegExp, type: string])[] = [
  [/^(?:int|long)$/, 'integer'],
  [/^(?:float|double)$/, 'number'],
  [/^(?:str|text)$/, 'string'],
  [/^bool$/, 'boolean'],
  [/^(?:dict|map)$/, 'object'],
  [/^(?:list|tuple)$/, 'array'],
];
const combinations = ['anyOf', 'oneOf', 'allOf'] as const;
/** Hints that several services refuse. The tool checks its arguments itself. */
const hints = ['$schema', '$id', 'id', 'not', 'if', 'then', 'else', 'patternProperties', 'dependencies'];
const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'multipleOf'];
const simpleKeys = ['type', 'description', 'enum', 'items', 'properties', 'required', 'anyOf'];
/** The least depth at which a reference to itself ends. */
const deepest = 6;
const plainKey = /^[a-zA-Z0-9_.-]{1,64}$/;

/** A schema as services accept it, and the names of parameters that were renamed for them. */
export interface FittedSchema {
  readonly schema: JsonObject;
  /** The tool's own name of a parameter, by its name in the schema. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Makes a tool's schema acceptable. A schema of which nothing is refused keeps its every byte. */
export function fittedSchema(given: JsonObject, style: SchemaStyle): FittedSchema {
  const reader = new SchemaReader(given, style);
  const schema = flattened(reader.node(given, 0));
  const renamed = new Map<string, string>();
  const properties: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(objectIn(schema['properties']))) {
    const plain = plainKey.test(name) ? name : freeKey(name, [...Object.keys(properties)]);
    if (plain !== name) renamed.set(plain, name);
    properties[plain] = value;
  }
  const wireName = new Map([...renamed].map(([plain, name]) => [name, plain]));
  const required = texts(schema['required'])
    .map((name) => wireName.get(name) ?? name)
    .filter((name) => Object.hasOwn(properties, name));
  const { required: _required, ...rest } = schema;
  return {
    schema: {
      ...rest,
      type: 'object',
      ...('properties' in schema || style === 'simple' ? { properties } : {}),
      ...('required' in schema ? { required } : {}),
    },
    renamed,
  };
}

function freeKey(name: string, taken: readonly string[]): string {
  const plain = name.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 60) || 'value';
  for (let count = 1; ; count++) {
    const tried = count === 1 ? plain : `${plain}_${count}`;
    if (!taken.includes(tried)) return tried;
  }
}

/** Replaces combinations at the top by the parameters of all their parts. */
function flattened(schema: JsonObject): JsonObject {
  const parts = combinations.flatMap((key) => list(schema[key]).map((part) => ({ key, part: objectIn(part) })));
  if (parts.length === 0 && !('enum' in schema)) return schema;
  const { anyOf: _any, oneOf: _one, allOf: _all, enum: _enum, ...rest } = schema;
  const required = [
    ...texts(schema['required']),
    ...parts.flatMap(({ key, part }) => (key === 'allOf' ? texts(part['required']) : [])),
  ];
  return {
    ...rest,
    properties: Object.assign({}, ...parts.map(({ part }) => part['properties']), schema['properties']),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

class SchemaReader {
  constructor(
    private readonly root: JsonObject,
    private readonly style: SchemaStyle,
  ) {}

  node(given: JsonValue | undefined, depth: number): JsonObject {
    const referred = this.referred(objectIn(given), depth);
    const node: Record<string, JsonValue> = {};
    const required = new Set(texts(referred['required']));
    for (const [key, value] of Object.entries(referred)) {
      const kept = this.field(key, value, referred, depth, required);
      if (kept !== undefined) node[key] = kept;
    }
    if (Array.isArray(referred['required']) || required.size > 0) {
      const known = objectIn(referred['properties']);
      const filtered = [...required].filter((name) => depth === 0 || Object.hasOwn(known, name));
      if (filtered.length > 0 || Array.isArray(node['required'])) node['required'] = filtered;
    }
    if (typeof node['type'] === 'string' ? node['type'] === 'array' : list(node['type']).includes('array'))
      node['items'] ??= this.style === 'simple' ? { type: 'string' } : {};
    return this.style === 'simple' ? simple(node) : node;
  }

  private field(
    key: string,
    value: JsonValue,
    siblings: JsonObject,
    depth: number,
    required: Set<string>,
  ): JsonValue | undefined {
    if (hints.includes(key)) return undefined;
    if (limits.includes(key)) return typeof value === 'number' ? value : undefined;
    switch (key) {
      case 'type': {
        const known = (isList(value) ? value : [value]).flatMap((type) => {
          const name = String(type).toLowerCase();
          return types.includes(name) ? [name] : (otherTypes.find(([words]) => words.test(name))?.[1] ?? []);
        });
        return isList(value) ? (known.length === 0 ? undefined : known) : known[0];
      }
      case 'properties':
        return Object.fromEntries(
          Object.entries(objectIn(value)).map(([name, inner]) => {
            // Draft 3 marks the parameter itself.
            if (objectIn(inner)['required'] === true) required.add(name);
            return [name, this.node(inner, depth + 1)];
          }),
        );
      case 'required':
        return isList(value) ? value : undefined;
      case 'items':
        return isList(value)
          ? value.length === 1
            ? this.node(value[0], depth + 1)
            : { anyOf: value.map((each) => this.node(each, depth + 1)) }
          : this.node(value, depth + 1);
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return list(value).length === 0 ? undefined : list(value).map((each) => this.node(each, depth + 1));
      case '$defs':
      case 'definitions':
        return Object.fromEntries(
          Object.entries(objectIn(value)).map(([name, inner]) => [name, this.node(inner, depth + 1)]),
        );
      case 'enum':
        return list(value).length === 0 ? undefined : value;
      case 'exclusiveMinimum':
      case 'exclusiveMaximum': {
        // Draft 4 has a flag beside the limit.
        const limit = siblings[key === 'exclusiveMinimum' ? 'minimum' : 'maximum'];
        return typeof value === 'number' ? value : value === true && typeof limit === 'number' ? limit : undefined;
      }
      case 'description':
      case 'title':
      case 'format':
        return typeof value === 'string' ? value.toWellFormed() : undefined;
      case 'pattern':
        return typeof value === 'string' && /^\^.*\$$/s.test(value) && isExpression(value) ? value : undefined;
      case 'additionalProperties':
        return typeof value === 'boolean' ? value : this.node(value, depth + 1);
      default:
        return value;
    }
  }

  /** Resolves a reference. One that leads nowhere is dropped; one that leads to itself ends at some depth. */
  private referred(node: JsonObject, depth: number): JsonObject {
    const { $ref: reference, ...rest } = node;
    if (reference === undefined) return node;
    const target = typeof reference === 'string' ? this.at(reference) : null;
    if (target === null) return rest;
    if (this.style === 'valid' && depth > 0) return node;
    return depth > deepest ? { ...rest, type: 'object' } : this.referred({ ...target, ...rest }, depth + 1);
  }

  private at(reference: string): JsonObject | null {
    let found: JsonValue | undefined = this.root;
    if (!reference.startsWith('#')) return null;
    for (const step of reference.slice(1).split('/').filter(Boolean))
      found = objectIn(found)[unescape(step).replace(/~1/g, '/').replace(/~0/g, '~')];
    return found !== undefined && isJsonObject(found) ? found : null;
  }
}

function simple(node: JsonObject): JsonObject {
  const constant = 'const' in node ? { enum: [node['const'] ?? null] } : {};
  const any = [...list(node['anyOf']), ...list(node['oneOf']), ...list(node['allOf'])].filter(isJsonObject);
  const whole: JsonObject = { ...constant, ...node };
  const type = isList(whole['type'] ?? null) ? texts(whole['type']).find((each) => each !== 'null') : whole['type'];
  const values = list(whole['enum']).filter((value) => typeof value === 'string' && value !== '');
  const kept: Record<string, JsonValue> = Object.fromEntries(
    Object.entries(whole).filter(([key]) => simpleKeys.includes(key) && key !== 'enum' && key !== 'type'),
  );
  if (any.length > 0 && type === undefined) kept['anyOf'] = any;
  else delete kept['anyOf'];
  if (values.length > 0) kept['enum'] = values;
  if (kept['anyOf'] === undefined)
    kept['type'] = values.length > 0 ? 'string' : (type ?? ('properties' in kept ? 'object' : 'string'));
  if (kept['type'] !== 'array') delete kept['items'];
  return kept;
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isList(value) ? value : [];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return list(value).flatMap((each) => (typeof each === 'string' ? [each] : []));
}

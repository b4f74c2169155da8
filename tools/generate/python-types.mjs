import { resolved, wrapped } from './operations.mjs';

const WIDTH = 130;
const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);
const SCALARS = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

/** Request schemas, whose enums are closed. */
const OF_REQUESTS = /(?:Request|Query)$/;

/**
 * Python types for a document's schemas. `typeOf` returns a schema's type, declaring unnamed ones once under the given
 * name; `text` is the module of all declarations.
 */
export function createTypes(document) {
  const declared = new Map();
  for (const [name, schema] of Object.entries(document.components.schemas)) declare(name, schema, OF_REQUESTS.test(name));

  function declare(name, schema, isClosed) {
    if (declared.has(name)) throw new Error(`Two schemas have the Python name ${name}.`);
    declared.set(name, null);
    const { base, fields } = fieldsOf(schema);
    declared.set(
      name,
      isNamed(schema)
        ? recordText(name, schema, base, fields, isClosed)
        : [`${name}: TypeAlias = ${JSON.stringify(unnamed(schema, name, isClosed))}`, ...docText(schema.description, '')],
    );
    return name;
  }

  function recordText(name, schema, base, fields, isClosed) {
    const typed = fields.map(([field, part, isRequired]) => {
      const type = typeOf(part, `${name}_${field}`, isClosed);
      const description = part.description ?? resolved(document, part).description;
      return { field, description, type: isRequired ? type : `NotRequired[${type}]` };
    });
    if (typed.some(({ field }) => KEYWORDS.has(field)))
      return [
        `${name} = TypedDict(`,
        `    "${name}",`,
        '    {',
        ...typed.flatMap(({ field, description, type }) => [
          ...commentText(description, '        '),
          `        "${field}": ${JSON.stringify(type)},`,
        ]),
        '    },',
        ')',
        ...docText(schema.description, ''),
      ];
    const body = typed.flatMap(({ field, description, type }) => [`    ${field}: ${type}`, ...docText(description, '    ')]);
    return [`class ${name}(${base ?? 'TypedDict'}):`, ...docText(schema.description, '    '), ...(body.length > 0 ? body : ['    pass'])];
  }

  function fieldsOf({ allOf, properties = {}, required = [] }) {
    if (allOf !== undefined) {
      const [first, ...others] = allOf;
      const own = others.flatMap((part) => fieldsOf(part).fields);
      const inherited = fieldsOf(resolved(document, first)).fields.filter(([field]) => !own.some(([name]) => name === field));
      // A subclass cannot change a field's type.
      const isExtended = first.$ref !== undefined && inherited.length === fieldsOf(resolved(document, first)).fields.length;
      return isExtended ? { base: nameOf(first.$ref), fields: own } : { base: null, fields: [...inherited, ...own] };
    }
    return { base: null, fields: Object.entries(properties).map(([field, part]) => [field, part, required.includes(field)]) };
  }

  function typeOf(schema, name, isClosed = false) {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (!isNamed(schema)) return unnamed(schema, name, isClosed);
    return declared.has(name) ? name : declare(name, schema, isClosed);
  }

  function unnamed(schema, name, isClosed) {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    const choices = schema.oneOf ?? schema.anyOf;
    if (choices !== undefined) return union(choices.map((part, at) => typeOf(part, at === 0 ? name : `${name}_${at + 1}`, isClosed)));
    if (schema.enum !== undefined) return enumOf(schema, isClosed);
    return union([schema.type ?? []].flat().map((type) => ofType(type, schema, name, isClosed)));
  }

  function ofType(type, schema, name, isClosed) {
    if (type === 'array') {
      const item = schema.items === undefined ? 'Any' : typeOf(schema.items, `${name}_item`, isClosed);
      return `${isClosed ? 'Sequence' : 'list'}[${item}]`;
    }
    if (type === 'object') {
      if (Object.keys(schema.properties ?? {}).length > 0) return typeOf({ ...schema, type: 'object' }, `${name}_object`, isClosed);
      const { additionalProperties: others } = schema;
      const value = typeof others === 'object' ? typeOf(others, `${name}_value`, isClosed) : 'Any';
      return `${isClosed ? 'Mapping' : 'dict'}[str, ${value}]`;
    }
    if (type === 'string' && /instant|date-time/.test(schema.format ?? '')) return isClosed ? 'Instant' : 'str';
    return SCALARS[type];
  }

  return {
    typeOf,
    text: () => [...inOrder(declared)].flatMap(([, lines]) => [...lines, '', '']),
  };
}

/** True for a schema that is only an object with documented fields. */
function isNamed({ type, properties, allOf, $ref }) {
  return $ref === undefined && (allOf !== undefined || (type === 'object' && Object.keys(properties ?? {}).length > 0));
}

/** A class must follow its base class. */
function inOrder(declared) {
  const ordered = new Map();
  const take = (name) => {
    if (ordered.has(name)) return;
    const base = /^class \w+\((\w+)\):/.exec(declared.get(name)[0])?.[1];
    if (base !== undefined && declared.has(base)) take(base);
    ordered.set(name, declared.get(name));
  };
  for (const name of declared.keys()) take(name);
  return ordered;
}

/** Answer enums are open: later versions of the service may add values. */
function enumOf({ enum: values, type }, isClosed) {
  const literals = values.filter((value) => value !== null).map(literal);
  const isText = values.every((value) => value === null || typeof value === 'string');
  const isNullable = values.includes(null) || [type].flat().includes('null');
  return union([`Literal[${literals.join(', ')}]`, ...(isText && !isClosed ? ['str'] : []), ...(isNullable ? ['None'] : [])]);
}

function union(types) {
  const unique = [...new Set(types)];
  return unique.length === 0 ? 'Any' : unique.join(' | ');
}

export function literal(value) {
  if (value === true || value === false) return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}

function nameOf($ref) {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

export function pascal(name) {
  return name.replaceAll(/(?:^|[_\W])(\w)/g, (_whole, letter) => letter.toUpperCase());
}

export function snake(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Avoids Python keywords. */
export function argument(name) {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

/** Empty without text. */
export function docText(text, indent) {
  if (text === undefined || text === '') return [];
  return docstring(wrapped(text, WIDTH - indent.length), indent);
}

/** Comment lines, because a TypedDict created by a call cannot have field docstrings. */
function commentText(text, indent) {
  return text === undefined || text === '' ? [] : wrapped(text, WIDTH - indent.length - 2).map((line) => `${indent}# ${line}`.trimEnd());
}

export function docstring(lines, indent) {
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'));
  if (safe.length === 1 && !safe[0].endsWith('"')) return [`${indent}"""${safe[0]}"""`];
  return [`${indent}"""`, ...safe.map((line) => `${indent}${line}`.trimEnd()), `${indent}"""`];
}

import { resolve, type Schema } from './document';
import { code, formOf, line, table } from './text';

/** Most rows of a table of fields; what is below is in the OpenAPI document. */
const ROWS_MAX = 60;
const LEVELS_MAX = 3;

interface Field {
  readonly name: string;
  readonly schema: Schema;
}

function partsOf(schema: Schema): readonly Schema[] {
  const whole = resolve<Schema>(schema);
  return [whole, ...[...(whole.allOf ?? []), ...(whole.anyOf ?? []), ...(whole.oneOf ?? [])].flatMap(partsOf)];
}

/** The fields of a schema, those of its parts and of the objects in it too; a name that several parts have is listed once. */
function fieldsOf(schema: Schema, before: string, levels: number): Field[] {
  if (levels === 0) return [];
  const own = new Map<string, Schema>();
  for (const part of partsOf(schema))
    for (const [name, each] of Object.entries(part.properties ?? {})) if (!own.has(name)) own.set(name, each);
  return [...own].flatMap(([name, each]) => {
    const whole = resolve<Schema>(each);
    const inner = whole.items === undefined ? whole : whole.items;
    const path = `${before}${name}${whole.items === undefined ? '' : '[]'}`;
    const described = { ...whole, description: each.description ?? whole.description };
    return [{ name: path, schema: described }, ...fieldsOf(inner, `${path}.`, levels - 1)];
  });
}

/** A table of the fields of a body, as far down as can be read; it says how many are left out. */
export function fieldTable(schema: Schema): string {
  const fields = [1, 2, 3].slice(0, LEVELS_MAX).map((levels) => fieldsOf(schema, '', levels));
  const shown = fields.findLast((each) => each.length <= ROWS_MAX) ?? fields[0] ?? [];
  const total = fields.at(-1)?.length ?? 0;
  const rows = shown.map(({ name, schema: each }) => [code(name), line(formOf(each)), line(each.description ?? '')]);
  const more =
    total > shown.length
      ? `\n\n${(total - shown.length).toLocaleString('en')} fields below these are described in the [OpenAPI document](/openapi.json).`
      : '';
  return shown.length === 0 ? '' : `${table(['Field', 'Form', 'Meaning'], rows)}${more}`;
}

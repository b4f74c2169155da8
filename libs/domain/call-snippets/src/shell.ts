import { isFields, Variable } from './literals';

/** A text for a shell: pieces as they are, and variables between them. */
type ShellText = readonly (string | Variable)[];

/** As one word of a POSIX shell: nothing of the pieces is run or replaced, only variables are. */
export function quoted(text: ShellText): string {
  if (!text.some((part) => part instanceof Variable))
    return `'${text.map((part) => (part instanceof Variable ? '' : part.replaceAll("'", String.raw`'\''`))).join('')}'`;
  return `"${text.map((part) => (part instanceof Variable ? `$${part.name}` : part.replace(/["\\$`]/g, String.raw`\$&`))).join('')}"`;
}

/** A value as JSON. */
export function jsonText(value: unknown): ShellText {
  if (value instanceof Variable) return ['"', value, '"'];
  if (Array.isArray(value)) return ['[', ...between(value.map((each: unknown) => jsonText(each))), ']'];
  if (isFields(value))
    return ['{', ...between(Object.entries(value).map(([name, each]) => [`${JSON.stringify(name)}:`, ...jsonText(each)])), '}'];
  return [JSON.stringify(value)];
}

function between(items: readonly ShellText[]): ShellText {
  return items.flatMap((item, at) => (at === 0 ? item : [',', ...item]));
}

/** Path and query; what an address can hold as it is stays readable. */
export function addressText(route: string, places: Readonly<Record<string, unknown>>, query: Readonly<Record<string, unknown>>): ShellText {
  const path = route.split(/(\{\w+\})/).flatMap((part): ShellText => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [part] : escaped(places[name]);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each: unknown) => [name, each] as const));
  return [...path, ...pairs.flatMap(([name, value], at) => [`${at === 0 ? '?' : '&'}${name}=`, ...escaped(value)])];
}

function escaped(value: unknown): ShellText {
  if (value instanceof Variable) return [value];
  return [encodeURIComponent(String(value)).replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%3A', ':')];
}

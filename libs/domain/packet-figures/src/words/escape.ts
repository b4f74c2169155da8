const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML or SVG may hold it, in content and in quoted attributes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A machine word as people read it: `depth_only_pressure` → `depth only pressure`. */
export function words(value: string): string {
  return value.replaceAll('_', ' ');
}

/** Whether a path is one that a pattern stands for. */
export type PathPattern = (path: string) => boolean;

/** Longest segment that can stand for a name: event ids and symbols are far shorter. */
const SEGMENT_MAX = 128;

/** A segment that begins with `:` stands for any one segment, every other for itself; a slash at the end makes another path. */
export function toPathPattern(pattern: string): PathPattern {
  const wanted = pattern.split('/');
  return (path) => {
    const segments = path.split('/', wanted.length + 1);
    return segments.length === wanted.length && segments.every((segment, index) => fits(segment, wanted[index] ?? ''));
  };
}

function fits(segment: string, wanted: string): boolean {
  return wanted.startsWith(':') ? segment !== '' && segment.length <= SEGMENT_MAX : segment === wanted;
}

import { readJsonText } from './json-text';

const faultsOf = (text: string) => readJsonText(text).faults.map(({ line, pointer, message }) => `${line} ${pointer} ${message}`);

describe('reading a JSON text', () => {
  test('its value is that of JSON.parse, and each member and element has the line it begins on', () => {
    const text = '{\n  "a": {"b": 1,\n "c/d": [10,\n  {"e": null}, "x"]},\n  "f": true\n}\n';
    const read = readJsonText(text);
    expect(read.value).toEqual(JSON.parse(text));
    expect(read.faults).toEqual([]);
    const lines = ['', '/a', '/a/b', '/a/c~1d', '/a/c~1d/0', '/a/c~1d/1', '/a/c~1d/1/e', '/a/c~1d/2', '/f'].map(read.lineOf);
    expect(lines).toEqual([1, 2, 2, 3, 3, 4, 4, 4, 5]);
  });

  test('what is not there has the line of its nearest parent', () => {
    const read = readJsonText('{\n"a": {\n"b": 1}}');
    expect(['/a/z', '/a/b/c/d', '/q'].map(read.lineOf)).toEqual([2, 3, 1]);
  });

  test('quotes, colons and escapes inside texts are no names', () => {
    expect(faultsOf('{"a": ["x", ":"], "b\\"": "\\":", "c": "{\\"a\\": 1}"}')).toEqual([]);
    expect(faultsOf('{"a": 1,\n"\\u0061": 2}')).toEqual(['2 /a appears twice']);
  });

  test.each([
    ['{\n"a": 1,\n"a": 2}', '3 /a appears twice'],
    ['{"x": [{"a": 1,\n"a": 2}]}', '2 /x/0/a appears twice'],
    ['{\n"a": 1,\n}', '2  has a comma with nothing after it'],
    ['{"a": [1,\n2,\n]}', '2 /a has a comma with nothing after it'],
    ['{\n# why\n"a": 1}', '2  contains "# why", which is not JSON'],
    ["{\n'a': 1}", '2  is not JSON: a member is "name": value, an element a value'],
    ['{\n"a": \'x\'}', '2 /a is not a JSON value'],
    ['{\n"a": "\\x41"}', '2 /a is not a JSON value'],
    ['{\n"a": &b 1}', '2  contains "&b", which is not JSON'],
    ['{"a": 1,\n"b"}', '2  is not JSON: a member is "name": value, an element a value'],
  ])('%j is refused where it goes wrong', (text, fault) => {
    expect(faultsOf(text)).toContain(fault);
  });

  test.each([
    ['{\n"a": x}', 2],
    ['{\n"a": 01}', 2],
    ['{"a": 1', 1],
    ['{"a": 1}\n}', 2],
    ['{"a": [1,\n,2]}', 2],
    ['{"a":\n1 2}', 2],
    ['', 1],
    ['# a comment\n', 1],
    ['a: 1', 1],
    ['\uFEFF{}', 1],
    ['{}\n---\n{}', 2],
  ])('%j is no JSON, and the line says where', (text, line) => {
    const [first] = readJsonText(text).faults;
    expect(first).toMatchObject({ line, pointer: '' });
    expect(first?.message).toMatch(/^is not JSON/);
  });
});

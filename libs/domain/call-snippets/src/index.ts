export { type Snippet, type SnippetCall, snippetsOf } from './snippets';
export { variable, Variable } from './literals';

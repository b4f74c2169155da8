export { type Snippet, type SnippetCall, snippetsOf, variable, Variable } from './snippets';

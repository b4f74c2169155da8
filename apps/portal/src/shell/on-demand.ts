// Parts of every page that are loaded when first needed, as one file.
export { AccountDialog } from './account-dialog';
export { HelpDialog } from './help-dialog';
export { searchTarget } from './search-target';
export { SymbolList } from './symbol-list';

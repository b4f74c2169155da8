/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { addCopyButtons } from './copy';
import { addTableFilter } from './filter';
import { addSearch } from './search';

addSearch();
addCopyButtons();
addTableFilter();

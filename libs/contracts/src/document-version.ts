/**
 * Version of what is stored with every record for reading: the documents of `renderIdentity` and `renderRecord`, the
 * lookup keys of `weakValues`, the search terms and the terms of lists. Increase it with every change of their form.
 */
export const documentVersion = 1;

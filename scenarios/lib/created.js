// When this client was made: modules are read in the order of their imports, and this one comes first.
export const createdMs = Date.now();

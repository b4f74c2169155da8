export function giveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has started reading the blob well before this.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

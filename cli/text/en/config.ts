export const configText = {
  envIgnored: (names: string) =>
    `.env: not used without your approval: ${names} (it would decide where requests go, who pays, or what runs unasked; approve it with \`xz config trust\`)`,
};

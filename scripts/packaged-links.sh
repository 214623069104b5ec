#!/bin/bash
# Makes the links of the documents in a folder hold there: the package has fewer files than the repository, and some in
# another place. A link to a file that is not there becomes plain text. Prints nothing.
#
#   scripts/packaged-links.sh FOLDER
set -euo pipefail
cd "$1"
find . -name '*.md' | while read -r page; do
    DIR=$(dirname "$page") perl -0pi -e '
        s{(?<!!)\[([^\]]+)\]\(([^)\s]+)\)}{
            my ($text, $to) = ($1, $2);
            $to =~ s{packaging/prometheus/}{prometheus/};
            (my $file = $to) =~ s/#.*//;
            my $is_there = $to =~ m{^[a-z]+:} || $file eq "" || -e "$ENV{DIR}/$file";
            $is_there ? "[$text]($to)" : $text
        }ge' "$page"
done

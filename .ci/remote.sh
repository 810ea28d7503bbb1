# Sourced by pull and push: the environment of this checkout, and the DVC remote at DVC_REMOTE_URL, where that is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/.venv/bin:$PATH" DVC_NO_ANALYTICS=1

if [ -n "${DVC_REMOTE_URL:-}" ]; then
    case "$DVC_REMOTE_URL" in
        # what DVC needs to reach it is no part of the lock
        s3://* | gs://* | azure://* | ssh://*)
            python -m pip install --quiet --constraint requirements.lock "dvc[${DVC_REMOTE_URL%%:*}]"
            ;;
    esac
    # in .dvc/config.local, which git ignores; the credentials are read from the environment
    dvc remote add --quiet --local --force --default ci "$DVC_REMOTE_URL"
fi

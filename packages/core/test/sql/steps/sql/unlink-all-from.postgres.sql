delete
from "album_artist"
where "albumId" in ($1::bigint)
-- [111]

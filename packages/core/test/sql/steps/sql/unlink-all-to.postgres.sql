delete
from "album_artist"
where "artistId" in ($1::bigint)
-- [2]

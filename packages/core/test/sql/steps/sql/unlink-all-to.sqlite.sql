delete
from "album_artist"
where "artistId" in (?)
-- [2]
